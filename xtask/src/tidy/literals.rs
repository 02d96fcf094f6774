//! Sizes, TLS codepoints and object identifiers are in `crates/params` and nowhere else; tests
//! and comments may write them, as a second source for the same fact.

use proc_macro2::{Span, TokenTree};
use syn::Lit;

use crate::tidy::{
    Finding,
    source::Source,
    table::{ObjectId, Table},
    text,
};

/// A number that means something other than a row of the table. An unused entry is a finding.
struct Allowed {
    file: &'static str,
    number: u128,
    reason: &'static str,
}

/// The file that holds the exceptions, and therefore their numbers.
const THIS_FILE: &str = "xtask/src/tidy/literals.rs";

const ALLOWED: &[Allowed] = &[
    Allowed {
        file: "crates/sig/src/fn_dsa/keygen/sizes.rs",
        number: 1577,
        reason: "the mean size of a coefficient in bits, as measured",
    },
    Allowed {
        file: "crates/poly/src/q3329/compress.rs",
        number: 832,
        reason: "a quarter of q, rounded down",
    },
    Allowed {
        file: "xtask/src/tidy/text.rs",
        number: text::MAX_LINES as u128,
        reason: "the greatest number of lines in a file",
    },
];

/// Checks all files.
pub(super) fn check(sources: &[Source], table: &Table) -> Vec<Finding> {
    check_except(sources, table, ALLOWED)
}

fn check_except(sources: &[Source], table: &Table, exceptions: &[Allowed]) -> Vec<Finding> {
    let mut used = vec![false; exceptions.len()];
    let mut findings = Vec::new();
    for source in sources {
        let table_itself = source.crate_name() == Some("params") || source.path == THIS_FILE;
        if source.is_test() || table_itself {
            continue;
        }
        for (line, hit) in hits(source, table) {
            let allowed =
                exceptions.iter().position(|a| a.file == source.path && a.number == hit.number);
            match allowed {
                Some(index) => used[index] = true,
                None => findings.push(Finding::new(&source.path, line, hit.message)),
            }
        }
    }
    let unused = exceptions.iter().zip(used).filter(|(_, used)| !used);
    findings.extend(unused.map(|(allowed, _)| {
        let Allowed { number, reason, .. } = allowed;
        Finding::new(allowed.file, 1, format!("{number} is allowed ({reason}), but not found"))
    }));
    findings
}

struct Hit {
    /// The number, or 0 for an object identifier.
    number: u128,
    message: String,
}

/// Returns the literals of one file that are in the table, with their lines.
fn hits(source: &Source, table: &Table) -> Vec<(usize, Hit)> {
    let mut hits = Vec::new();
    source.visit_code(&mut |tokens| {
        let mut numbers = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let TokenTree::Literal(literal) = token else { continue };
            if source.in_test(literal.span()) || is_tuple_index(tokens, at) {
                continue;
            }
            let mut add =
                |hit: Option<Hit>| hits.extend(hit.map(|hit| (line(literal.span()), hit)));
            match Lit::new(literal.clone()) {
                Lit::Int(int) => {
                    let Ok(value) = int.base10_parse::<u128>() else { continue };
                    add(number(value, &int.to_string(), table));
                    numbers.push((value, literal.span()));
                }
                Lit::Str(text) => add(text_with_oid(&text.value(), table)),
                Lit::ByteStr(bytes) => {
                    let octets: Vec<u128> = bytes.value().into_iter().map(u128::from).collect();
                    add(list_with_oid(&octets, table).map(|(_, hit)| hit));
                }
                _ => {}
            }
        }
        let values: Vec<u128> = numbers.iter().map(|(value, _)| *value).collect();
        if let Some((at, hit)) = list_with_oid(&values, table) {
            hits.push((line(numbers[at].1), hit));
        }
    });
    hits
}

fn line(span: Span) -> usize {
    span.start().line
}

/// Reports whether this is `x.512`: the parser reads it as a float or as an integer after a dot.
fn is_tuple_index(tokens: &[TokenTree], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let two_before = at.checked_sub(2).map(|before| &tokens[before]);
    let dot = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(p)) if p.as_char() == '.');
    dot(before) && !dot(two_before)
}

fn number(value: u128, written: &str, table: &Table) -> Option<Hit> {
    let hit = |kind: &str, name: &str| Hit {
        number: value,
        message: format!("{written} is the {kind} of {name}: take it from oaklath-params"),
    };
    // Sizes are never written in binary or as two hexadecimal digits: those are masks and shuffles.
    let mask = written.starts_with("0b") || (written.starts_with("0x") && value < 256);
    if let Some(name) = table.sizes.get(&value).filter(|_| !mask) {
        return Some(hit("size of a part", name));
    }
    // Numbers with many other meanings count as codepoints only in the registry's notation: 0x0200.
    let as_registry = written.len() == 6 && written.starts_with("0x");
    let telling = value >= 256 && !value.is_power_of_two();
    let name = table.codepoints.get(&value).filter(|_| as_registry || telling)?;
    Some(hit("TLS codepoint", name))
}

/// Finds an object identifier in dotted form, not as part of a longer one.
fn text_with_oid(text: &str, table: &Table) -> Option<Hit> {
    let mut words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.find_map(|word| {
        let word = word.trim_end_matches('.');
        table.oids.iter().find(|oid| oid.dotted == word).map(oid_hit)
    })
}

/// Finds an object identifier as arcs or in DER, and returns where in the list it begins.
fn list_with_oid(list: &[u128], table: &Table) -> Option<(usize, Hit)> {
    table.oids.iter().find_map(|oid| {
        let find = |part: &[u128]| list.windows(part.len()).position(|window| window == part);
        find(&oid.arcs).or_else(|| find(&oid.der)).map(|at| (at, oid_hit(oid)))
    })
}

fn oid_hit(oid: &ObjectId) -> Hit {
    let message = format!("the object identifier of {}: take it from oaklath-params", oid.name);
    Hit { number: 0, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        lines_except(path, text, &[])
    }

    fn lines_except(path: &str, text: &str, exceptions: &[Allowed]) -> Vec<usize> {
        let mut table =
            Table { oids: vec![ObjectId::new("OAK", "1.3.9999.4.2")], ..Table::default() };
        table.sizes.insert(1088, "OAK".into());
        table.sizes.insert(133, "OAK".into());
        table.codepoints.insert(573, "OAK".into());
        table.codepoints.insert(512, "OAK".into());
        let source = Source::parse(path, text).unwrap();
        check_except(&[source], &table, exceptions)
            .into_iter()
            .map(|finding| finding.line)
            .collect()
    }

    const HOME: &str = "crates/kem/src/lib.rs";

    #[test]
    fn numbers() {
        assert_eq!(lines(HOME, "const A: usize = 1_088;"), [1]);
        assert_eq!(lines(HOME, "m! { \n [0x440] }"), [2]);
        assert_eq!(lines(HOME, "const A: u16 = 0x0200; const B: u16 = 573;"), [1, 1]);
        assert_eq!(lines(HOME, "const A: usize = 512; fn f(x: T) -> u8 { x.1088 }"), [0; 0]);
        assert_eq!(lines(HOME, "const A: usize = 133; const B: i32 = 0x85;"), [1]);
        assert_eq!(lines(HOME, "/// 1088\n// 573\nfn f() {}"), [0; 0]);
    }

    #[test]
    fn ranges_are_no_tuple_indices() {
        assert_eq!(lines(HOME, "fn f() { g(0..1088) }"), [1]);
    }

    #[test]
    fn object_identifiers_in_every_form() {
        assert_eq!(lines(HOME, "const A: &str = \"oid 1.3.9999.4.2.\";"), [1]);
        assert_eq!(lines(HOME, "const A: &str = \"1.3.9999.4.21\";"), [0; 0]);
        assert_eq!(lines(HOME, "const A: [u32; 5] = [1, 3, 9999, 4, 2];"), [1]);
        assert_eq!(lines(HOME, "const A: [u8; 5] = [6,\n 0x2b, 0xce, 0x0f, 4, 2];"), [2]);
        assert_eq!(lines(HOME, "const A: &[u8] = b\"\\x2b\\xce\\x0f\\x04\\x02\";"), [1]);
    }

    #[test]
    fn the_table_and_tests_are_free() {
        let text = "const A: usize = 1088;";
        assert_eq!(lines("crates/params/src/kem.rs", text), [0; 0]);
        assert_eq!(lines("crates/kem/tests/kat.rs", text), [0; 0]);
        assert_eq!(lines(HOME, &format!("#[cfg(test)] mod tests {{ {text} }} {text}")), [1]);
    }

    #[test]
    fn an_exception_is_used_or_reported() {
        let exception = [Allowed { file: HOME, number: 1088, reason: "a prime" }];
        assert_eq!(lines_except(HOME, "const A: usize = 1088;", &exception), [0; 0]);
        assert_eq!(lines_except(HOME, "\nconst A: usize = 573;", &exception), [2, 1]);
    }
}
