//! The operations of key encapsulation, as contenders.

use std::hint::black_box;

use anyhow::Context;
use oaklath_measure::{Contender, Level, Sampler};

use super::report::{Reporter, Row};
use crate::{
    kem::{Failure, Implementation, Keys, make_keys, ours, sizes},
    random::Inputs,
};

/// The timed operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    /// From the seed to a key pair as bytes.
    Keygen,
    /// With a key as bytes.
    Encapsulate,
    /// With a key as bytes, and the checks a library offers for it.
    Decapsulate,
    /// With a key that was checked and parsed before, without its matrix.
    DecapsulatePrepared,
    /// With a kept key that holds the matrix.
    EncapsulateExpanded,
    /// With a kept key that holds the matrix.
    DecapsulateExpanded,
}

impl Operation {
    const ALL: [Self; 6] = [
        Self::Keygen,
        Self::Encapsulate,
        Self::Decapsulate,
        Self::DecapsulatePrepared,
        Self::EncapsulateExpanded,
        Self::DecapsulateExpanded,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Encapsulate => "encapsulate",
            Self::Decapsulate => "decapsulate",
            Self::DecapsulatePrepared => "decapsulate-prepared",
            Self::EncapsulateExpanded => "encapsulate-expanded",
            Self::DecapsulateExpanded => "decapsulate-expanded",
        }
    }
}

/// One set of inputs, which all contenders share.
struct Input {
    keys: Keys,
    m: [u8; 32],
    ciphertext: Vec<u8>,
}

/// Enough inputs that no branch predictor learns them, few enough that they stay in the cache.
const INPUTS: usize = 16;

/// Measures and prints every operation of `algorithm`.
pub(super) fn compare(
    algorithm: &str,
    peers: &[Box<dyn Implementation>],
    sampler: &Sampler,
    reporter: &Reporter<'_>,
) -> anyhow::Result<()> {
    let ours = ours(algorithm);
    let inputs = inputs(&*ours)?;
    for operation in Operation::ALL {
        let mut contenders = Vec::new();
        let mut rows = Vec::new();
        for &level in reporter.levels {
            let call = call(operation, &*ours, &inputs)?.context("ours offers every operation")?;
            rows.push(Row::Ours(level));
            contenders.push(at_level(level, call));
        }
        for peer in peers {
            if let Some(mut call) = call(operation, &**peer, &inputs)? {
                rows.push(Row::Peer(peer.library()));
                contenders
                    .push(Contender::new(peer.library(), move |calls| calls.for_each(&mut call)));
            }
        }
        let summaries = sampler.interleave(&mut contenders);
        reporter.operation(algorithm, operation.name(), &rows, &summaries);
    }
    Ok(())
}

/// Makes a contender whose level is forced once a batch, not once a call.
fn at_level<'a>(level: Level, mut call: Call<'a>) -> Contender<'a> {
    Contender::new(level.name(), move |calls| level.with(|| calls.for_each(&mut call)))
}

fn inputs(ours: &dyn Implementation) -> anyhow::Result<Vec<Input>> {
    let sizes = sizes(ours.algorithm());
    let mut random = Inputs::from_seed(0x0a_4c);
    (0..INPUTS)
        .map(|_| {
            let keys = make_keys(ours, &random.bytes())?;
            let m = random.bytes();
            let (mut ciphertext, mut secret) =
                (vec![0; sizes.ciphertext], vec![0; sizes.shared_secret]);
            ours.encapsulate(&m, &keys.public, &mut ciphertext, &mut secret)?;
            Ok(Input { keys, m, ciphertext })
        })
        .collect()
}

/// A call with the input of this number.
type Call<'a> = Box<dyn FnMut(usize) + 'a>;

/// A call with this input, which a library may reject.
type Fallible<'a> = Box<dyn FnMut(&Input) -> Result<(), Failure> + 'a>;

/// Returns the operation of one implementation, or none if the library does not offer it. A first
/// call is made here, so that errors are found before anything is timed.
fn call<'a>(
    operation: Operation,
    implementation: &'a dyn Implementation,
    inputs: &'a [Input],
) -> anyhow::Result<Option<Call<'a>>> {
    let sizes = sizes(implementation.algorithm());
    let (mut ct, mut ss) = (vec![0; sizes.ciphertext], vec![0; sizes.shared_secret]);
    let (mut pk, mut sk) = (vec![0; sizes.public_key], vec![0; sizes.secret_key]);
    let with_bytes = |mut run: Fallible<'a>| {
        match run(&inputs[0]) {
            Err(Failure::NotOffered) => return Ok(None),
            result => result.context(implementation.library())?,
        }
        Ok(Some(Box::new(move |i: usize| {
            black_box(run(black_box(&inputs[i % INPUTS]))).expect("the first call worked");
        }) as Call<'a>))
    };
    match operation {
        Operation::Keygen => with_bytes(Box::new(move |input| {
            implementation.keypair(&input.keys.seed, &mut pk, &mut sk)
        })),
        Operation::Encapsulate => with_bytes(Box::new(move |input| {
            implementation.encapsulate(&input.m, &input.keys.public, &mut ct, &mut ss)
        })),
        Operation::Decapsulate => with_bytes(Box::new(move |input| {
            implementation.decapsulate(&input.keys.secret, &input.ciphertext, &mut ss)
        })),
        // For a library without a type of its own for keys, bytes are the best form.
        Operation::DecapsulatePrepared => {
            let kept = inputs.iter().map(|input| implementation.prepare(&input.keys)).collect();
            match decapsulating(kept, inputs, ss) {
                None => call(Operation::Decapsulate, implementation, inputs),
                call => Ok(call),
            }
        }
        Operation::EncapsulateExpanded => {
            let kept: Option<Vec<_>> =
                inputs.iter().map(|input| implementation.expand_public(&input.keys)).collect();
            Ok(kept.map(|kept| {
                Box::new(move |i: usize| {
                    let i = i % INPUTS;
                    kept[i](black_box(&inputs[i].m), &mut ct, &mut ss);
                    black_box((&ct, &ss));
                }) as Call<'a>
            }))
        }
        Operation::DecapsulateExpanded => {
            let kept =
                inputs.iter().map(|input| implementation.expand_secret(&input.keys)).collect();
            Ok(decapsulating(kept, inputs, ss))
        }
    }
}

fn decapsulating(
    kept: Option<Vec<crate::kem::Decapsulator>>,
    inputs: &[Input],
    mut ss: Vec<u8>,
) -> Option<Call<'_>> {
    let kept = kept?;
    Some(Box::new(move |i| {
        let i = i % INPUTS;
        kept[i](black_box(&inputs[i].ciphertext), &mut ss);
        black_box(&ss);
    }))
}
