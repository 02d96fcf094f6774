//! Certificates: a root and an intermediate authority, a server's request and certificate, and the
//! verification of the chain. The authorities use ML-DSA-87, the server ML-DSA-65.
//!
//! ```text
//! cargo run -p examples --bin chains
//! ```

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use oaklath::pki::{
    Authority, Certificate, Form, Identity, PrivateKey, Request, Signing, Template, VerifyOptions,
    verify_chain,
};

const DAY: Duration = Duration::from_secs(86_400);

fn main() -> Result<()> {
    let now = SystemTime::now();
    let strong = Identity::by_name("ML-DSA-87").context("no such algorithm")?;
    let root_key = PrivateKey::generate(strong)?;
    let root = Template::new("CN=Example root", now..=now + 3650 * DAY)?.root(&root_key)?;

    let between_key = PrivateKey::generate(strong)?;
    let between = Template::new("CN=Example servers", now..=now + 365 * DAY)?
        .path_len(0)
        .intermediate(&between_key.public_key(), &Authority::new(&root, &root_key)?)?;

    // The server keeps its key, as a seed in PKCS#8, and sends a request.
    let identity = Identity::by_name("ML-DSA-65").context("no such algorithm")?;
    let key = PrivateKey::generate(identity)?;
    let pem = key.to_pem(Form::Seed)?;
    let request = Request::new(&key, "CN=Door", &["door.example"], Signing::Hedged)?.to_pem();

    // The authority reads the request, which verifies that the sender has the key.
    let request = Request::from_pem(&request)?;
    let entity = Template::for_request(&request, now..=now + 90 * DAY)?
        .entity(&request.public_key()?, &Authority::new(&between, &between_key)?)?;

    // The client has the root, and receives the other two.
    let chain = [entity.to_pem(), between.to_pem()].concat();
    let received = Certificate::all_from_pem(&chain)?;
    let (entity, others) = received.split_first().context("an empty chain")?;
    let roots = [root];
    let options = VerifyOptions::now().server("door.example");
    let path = verify_chain(entity, others, &roots, &options)?;
    println!("{} certificates, {} bytes of key", path.len(), pem.len());
    let options = VerifyOptions::now().server("window.example");
    let error = verify_chain(entity, others, &roots, &options).expect_err("another name");
    println!("window.example: {error}");
    Ok(())
}
