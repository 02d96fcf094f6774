//! The operations of signatures, as contenders.
//!
//! A scheme that rejects takes a different time for every message: the time of an average message
//! of a list is printed, see [`Sampler::interleave_items`].

use std::{hint::black_box, ops::Range};

use anyhow::Context;
use oaklath_measure::{Contender, Level, Sampler, average};

use super::report::{Reporter, Row};
use crate::{
    kem::Failure,
    random::Inputs,
    sig::{Coins, Implementation, Keys, is_falcon, is_hash_tree, make_keys, ours, sizes},
};

/// Notes of the head on the figures.
pub(super) const NOTES: &str = "\
sign: without randomness, over the messages of C2SP/CCTV ML-DSA/benchmark, whose rejections are
      average; libraries that cannot sign so are left out
sign-random: 1024 messages of 32 bytes, 16 keys, with randomness where a library has it; of hash trees,
      which reject nothing, 2 messages and 2 keys, of Falcon 128 messages
keygen: of Falcon a mean over 256 seeds, of which some are rejected more often than others
all: means over the messages of the median of each; with randomness of its own, the median of means
      without calls that took more than ten times as long as half of them
prepared: with kept keys, or with bytes where a library keeps nothing more
";

/// The timed operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// From the seed to a key pair as bytes.
    Keygen,
    /// Messages with average rejections, with a key as bytes.
    Sign,
    /// Messages with average rejections, with a kept key.
    SignPrepared,
    /// Random messages, with keys as bytes.
    SignRandom,
    /// Random messages, with kept keys.
    SignRandomPrepared,
    /// With a key as bytes.
    Verify,
    /// With a kept key.
    VerifyPrepared,
}

impl Operation {
    const ALL: [Self; 7] = [
        Self::Keygen,
        Self::Sign,
        Self::SignPrepared,
        Self::SignRandom,
        Self::SignRandomPrepared,
        Self::Verify,
        Self::VerifyPrepared,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Sign => "sign",
            Self::SignPrepared => "sign-prepared",
            Self::SignRandom => "sign-random",
            Self::SignRandomPrepared => "sign-random-prepared",
            Self::Verify => "verify",
            Self::VerifyPrepared => "verify-prepared",
        }
    }

    /// Returns the rounds over all messages for this many batches of 100 microseconds; fewer where
    /// a call takes longer than a batch.
    fn rounds(self, samples: u32, algorithm: &str) -> usize {
        let batches = match self {
            Self::Keygen if is_falcon(algorithm) => 100,
            Self::Keygen if is_hash_tree(algorithm) => 20,
            Self::Keygen | Self::Verify | Self::VerifyPrepared => 1,
            Self::Sign | Self::SignPrepared => 20,
            Self::SignRandom | Self::SignRandomPrepared => 40,
        };
        samples.div_ceil(batches) as usize
    }
}

/// Returns the numbers of random messages and of keys: enough that no branch predictor learns them,
/// few enough that they stay in the cache. Hash trees take constant time, Falcon nearly so.
fn counts(algorithm: &str) -> (usize, usize) {
    match algorithm {
        _ if is_hash_tree(algorithm) => (2, 2),
        _ if is_falcon(algorithm) => (128, 16),
        _ => (1024, 16),
    }
}

/// The number of seeds where key generation takes a different time for each.
const SEEDS: usize = 256;

/// The input of all contenders.
struct Material {
    keys: Vec<Keys>,
    /// For key generation.
    seeds: Vec<Vec<u8>>,
    random: Vec<Item>,
    /// The key of the zero seed, and messages that are rejected as often as average ones; none
    /// where no such list is known.
    average: Option<(Keys, Vec<Item>)>,
}

/// One message.
struct Item {
    message: Vec<u8>,
    coins: Vec<u8>,
}

/// Measures and prints every operation of `algorithm`.
pub(super) fn compare(
    algorithm: &str,
    peers: &[Box<dyn Implementation>],
    samples: u32,
    reporter: &Reporter<'_>,
) -> anyhow::Result<()> {
    let ours = ours(algorithm);
    let material = Material::new(&*ours)?;
    // Relatives use keys that they make themselves.
    let own =
        |peer: &dyn Implementation| peer.is_relative().then(|| Material::new(peer)).transpose();
    let peers = peers.iter().map(|peer| Ok((&**peer, own(&**peer)?)));
    let peers = peers.collect::<anyhow::Result<Vec<_>>>()?;
    for operation in Operation::ALL {
        let (mut contenders, mut rows) = (Vec::new(), Vec::new());
        let mut messages = None;
        for &level in reporter.levels {
            let Some(call) = call(operation, &*ours, &material)? else { continue };
            messages = call.messages;
            rows.push(Row::Ours(level));
            contenders.push(at_level(level, call.run));
        }
        for (peer, own) in &peers {
            if let Some(mut call) = call(operation, *peer, own.as_ref().unwrap_or(&material))? {
                rows.push(Row::Peer(peer.library()));
                let run = move |calls: Range<usize>| calls.for_each(&mut call.run);
                let contender = Contender::new(peer.library(), run);
                let own = matches!(peer.coins(), Coins::Own(_));
                contenders.push(if own { contender.varies() } else { contender });
            }
        }
        if rows.is_empty() {
            continue;
        }
        let sampler = Sampler::new(operation.rounds(samples, algorithm));
        let summaries = match messages {
            None => sampler.interleave(&mut contenders),
            Some(messages) => sampler.interleave_items(messages, &mut contenders),
        };
        reporter.operation(algorithm, operation.name(), &rows, &summaries);
    }
    Ok(())
}

/// Makes a contender whose level is forced once a batch, not once a call.
fn at_level<'a>(level: Level, mut run: Run<'a>) -> Contender<'a> {
    Contender::new(level.name(), move |calls| level.with(|| calls.for_each(&mut run)))
}

impl Material {
    /// Makes keys and signatures with this implementation.
    fn new(maker: &dyn Implementation) -> anyhow::Result<Self> {
        let algorithm = maker.algorithm();
        let sizes = sizes(algorithm);
        let mut random = Inputs::from_seed(0x0a_4c);
        let mut bytes = |len: usize| (0..len).map(|_| random.number() as u8).collect::<Vec<_>>();
        let (messages, keys) = counts(algorithm);
        let keys = (0..keys).map(|_| make_keys(maker, &bytes(sizes.seed)));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        let seeds = match is_falcon(algorithm) {
            true => (0..SEEDS).map(|_| bytes(sizes.seed)).collect(),
            false => keys.iter().map(|keys| keys.seed.clone()).collect(),
        };
        let items = (0..messages).map(|_| Item { message: bytes(32), coins: bytes(sizes.coins) });
        let random = items.collect();
        let average = average::representative(algorithm).map(|messages| {
            let item = |message: &str| Item { message: message.into(), coins: Vec::new() };
            Ok::<_, Failure>((
                make_keys(maker, &vec![0; sizes.seed])?,
                messages.map(item).collect(),
            ))
        });
        Ok(Self { keys, seeds, random, average: average.transpose()? })
    }
}

/// A call, which takes the number of its input.
struct Call<'a> {
    run: Run<'a>,
    /// The number of inputs that take different times.
    messages: Option<usize>,
}

type Run<'a> = Box<dyn FnMut(usize) + 'a>;

/// Signs with one key, kept or as bytes: message, coins, signature.
type SignWith<'a> = Box<dyn Fn(&[u8], Option<&[u8]>, &mut [u8]) -> Result<usize, Failure> + 'a>;

/// Verifies with one key, kept or as bytes: message, signature.
type VerifyWith<'a> = Box<dyn Fn(&[u8], &[u8]) -> Result<(), Failure> + 'a>;

/// Returns the operation of one implementation, or none if the library does not offer it. A first
/// call is made here, so that errors are found before anything is timed.
fn call<'a>(
    operation: Operation,
    implementation: &'a dyn Implementation,
    material: &'a Material,
) -> anyhow::Result<Option<Call<'a>>> {
    let signer = |kept: bool, keys: &'a Keys| -> SignWith<'a> {
        match implementation.expand_secret(keys).filter(|_| kept) {
            Some(key) => key,
            None => Box::new(move |message, coins, signature| {
                implementation.sign(&keys.secret, message, coins, signature)
            }),
        }
    };
    let verifier = |kept: bool, keys: &'a Keys| -> VerifyWith<'a> {
        match implementation.expand_public(keys).filter(|_| kept) {
            Some(key) => key,
            None => Box::new(move |message, signature| {
                implementation.verify(&keys.public, message, signature)
            }),
        }
    };
    match operation {
        Operation::Keygen => keygen(implementation, material),
        Operation::Sign | Operation::SignPrepared => {
            let Some((zero, items)) = &material.average else { return Ok(None) };
            let signers = vec![signer(operation == Operation::SignPrepared, zero)];
            signing(implementation, signers, items, |_| None)
        }
        Operation::SignRandom | Operation::SignRandomPrepared => {
            let kept = operation == Operation::SignRandomPrepared;
            let signers = material.keys.iter().map(|keys| signer(kept, keys)).collect();
            signing(implementation, signers, &material.random, |item| {
                implementation.coins().of(&item.coins)
            })
        }
        Operation::Verify | Operation::VerifyPrepared => {
            let kept = operation == Operation::VerifyPrepared;
            let verifiers = material.keys.iter().map(|keys| verifier(kept, keys)).collect();
            verifying(implementation, verifiers, material).map(Some)
        }
    }
}

fn keygen<'a>(
    implementation: &'a dyn Implementation,
    Material { keys, seeds, .. }: &'a Material,
) -> anyhow::Result<Option<Call<'a>>> {
    let Keys { mut public, mut secret, .. } = keys[0].clone();
    let mut run = move |i: usize| {
        let seed = black_box(&seeds[i % seeds.len()]);
        implementation.keypair(seed, &mut public, &mut secret)
    };
    match run(0) {
        Err(Failure::NotOffered) => return Ok(None),
        result => result.context(implementation.library())?,
    }
    let run = Box::new(move |i| black_box(run(i)).expect("the first call worked"));
    let messages = is_falcon(implementation.algorithm()).then_some(seeds.len());
    Ok(Some(Call { run, messages }))
}

/// Signs one of `items` per call, with the keys in turn.
fn signing<'a>(
    implementation: &'a dyn Implementation,
    signers: Vec<SignWith<'a>>,
    items: &'a [Item],
    coins: impl Fn(&'a Item) -> Option<&'a [u8]> + 'a,
) -> anyhow::Result<Option<Call<'a>>> {
    let mut signature = vec![0; sizes(implementation.algorithm()).signature];
    let mut sign = move |i: usize| {
        let item = &items[i];
        signers[i % signers.len()](black_box(&item.message), coins(item), &mut signature)
    };
    match sign(0) {
        Err(Failure::NotOffered) => return Ok(None),
        result => result.context(implementation.library())?,
    };
    let run = Box::new(move |i| {
        black_box(sign(i)).expect("the first call worked");
    });
    Ok(Some(Call { run, messages: Some(items.len()) }))
}

/// Verifies our signatures, or a relative's own, one per call.
fn verifying<'a>(
    implementation: &'a dyn Implementation,
    verifiers: Vec<VerifyWith<'a>>,
    material: &'a Material,
) -> anyhow::Result<Call<'a>> {
    let (sizes, ours) = (sizes(implementation.algorithm()), ours(implementation.algorithm()));
    let sign = |(keys, item): (&Keys, &Item)| {
        let mut signature = vec![0; sizes.signature];
        let signer = if implementation.is_relative() { implementation } else { &*ours };
        let coins = Some(&*item.coins);
        let len = signer.sign(&keys.secret, &item.message, coins, &mut signature)?;
        signature.truncate(len);
        Ok(signature)
    };
    let signatures = material.keys.iter().zip(&material.random).map(sign);
    let signatures = signatures.collect::<Result<Vec<_>, Failure>>()?;
    let verify = move |i: usize| {
        let i = i % verifiers.len();
        verifiers[i](&material.random[i].message, black_box(&signatures[i]))
    };
    verify(0).context(implementation.library())?;
    let run = Box::new(move |i| black_box(verify(i)).expect("the first call worked"));
    Ok(Call { run, messages: None })
}
