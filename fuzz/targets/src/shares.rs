//! Key shares of groups.

use std::sync::OnceLock;

use oaklath_hybrid::{Error, Group, Random};

use crate::Seed;
use crate::script::{self, Script};

fn groups() -> &'static [Group] {
    static GROUPS: OnceLock<Vec<Group>> = OnceLock::new();
    GROUPS.get_or_init(|| oaklath_hybrid::all().collect())
}

/// Always the same bytes.
struct Fixed;

impl Random for Fixed {
    fn fill(&mut self, out: &mut [u8]) -> Result<(), Error> {
        script::spread(5, out);
        Ok(())
    }
}

/// A client's or a server's share.
pub(crate) fn shares(data: &[u8]) {
    let mut script = Script::new(data);
    let group = script.one_of(groups());
    let to_server = script.byte().is_multiple_of(2);
    let client = group.generate(&mut Fixed).expect("randomness");
    if to_server {
        let honest = client.share().to_vec();
        let share = script.changed(honest.clone());
        match group.respond(&mut Fixed, &share) {
            Ok(answer) => assert_eq!(answer.share.len(), group.info().server_share()),
            Err(_) => assert!(share != honest),
        }
    } else {
        let answer = group.respond(&mut Fixed, client.share()).expect("an honest share");
        let share = script.changed(answer.share.clone());
        match client.finish(&share) {
            Ok(secret) => {
                assert_eq!(secret.as_bytes().len(), group.info().shared_secret());
                assert!(share != answer.share || secret.as_bytes() == answer.secret.as_bytes());
            }
            Err(_) => assert!(share != answer.share),
        }
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    let kinds = (0u8..).zip(groups());
    let seeds = kinds.flat_map(|(number, group)| {
        let name = |side| format!("{}-{side}", group.info().name.to_lowercase());
        [script::seed(name("client"), &[number, 0]), script::seed(name("server"), &[number, 1])]
    });
    seeds.collect()
}
