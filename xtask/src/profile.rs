//! `cargo xtask profile`: measures where the time of whole handshakes goes, by the samples of perf,
//! and writes a page and a flame graph of each handshake to `docs/benchmarks`.

use std::{collections::BTreeMap, env::consts::EXE_SUFFIX, fmt::Write as _, fs, path::Path};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{
    interop::build::{missing, target},
    machine::now,
    shell::{capture, cargo, command, run as run_shown},
};

/// The extent of the measurement.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Seconds for each handshake
    #[arg(long, value_name = "N", default_value_t = 5)]
    seconds: u32,
}

const PAGE: &str = "docs/benchmarks/handshake-profile.md";

/// Group and certificates, and the name of the flame graph. Both sides show a certificate.
const HANDSHAKES: [(&str, &str, &str); 2] = [
    ("X25519MLKEM768", "ML-DSA-65", "handshake-ml-dsa"),
    ("P521_KYBER_LEVEL5", "Falcon-1024", "handshake-falcon"),
];

/// A part of a handshake, whose code it is, and names that functions of its stacks contain.
type Part = (&'static str, &'static str, &'static [&'static str]);

/// A sample belongs to the first part that has a function in its stack.
const PARTS: [Part; 11] = [
    ("verification", "ours", &["oaklath_tls::verify"]),
    ("certificates", "webpki", &["webpki::"]),
    ("signing", "ours", &["oaklath_tls::sign", "oaklath_sig::"]),
    ("key exchange, the KEM", "ours", &["oaklath_kem::"]),
    (
        "key exchange, the curve",
        "aws-lc",
        &["aws_lc_rs::agreement", "25519", "ec_GFp", "p521", "P521", "ossl_ec", "bignum_"],
    ),
    ("key schedule", "rustls, aws-lc", &["key_schedule", "hkdf", "HKDF", "HMAC"]),
    ("transcript", "aws-lc", &["HandshakeHash", "SHA384", "SHA512", "sha512"]),
    ("record layer", "rustls, aws-lc", &["record_layer", "aead", "aes_", "gcm"]),
    ("the wire, and threads taking turns", "the benchmark", &["wire::Wire", "futex", "mpmc"]),
    ("allocation", "the system", &["malloc", "realloc", "calloc", "_int_free", "cfree"]),
    ("messages and the rest", "rustls", &[""]),
];

/// Where a connection begins in a stack: functions before the first one do not belong to it.
const SIDES: [(&str, &str); 2] = [("engine::call", "client"), ("engine::accept", "server")];

/// Falcon signs on more stack than perf keeps, so that its samples do not reveal the side.
const DEEP: &str = "oaklath_sig::";

/// A function, the number of samples in it or its callees, and its callees.
#[derive(Default)]
struct Frame {
    samples: u32,
    callees: BTreeMap<String, Self>,
}

/// The samples of a handshake.
#[derive(Default)]
struct Profile {
    samples: u32,
    parts: [u32; PARTS.len()],
    /// The number of samples in each function itself.
    functions: BTreeMap<String, u32>,
    flame: Frame,
}

/// Measures, and writes the page and the graphs.
pub(crate) fn run(args: &Args) -> Result<()> {
    let missing = missing(&[("perf", "linux-perf")]);
    ensure!(missing.is_none(), "{}", missing.unwrap_or_default());
    run_shown(&mut cargo("build --release --quiet -p oaklath-cli"))?;
    let target = target()?;
    let oaklath = target.join(format!("release/oaklath{EXE_SUFFIX}"));
    let measured: Value = serde_json::from_str(&now()?)?;
    let mut profiles = Vec::new();
    for (group, certificates, graph) in HANDSHAKES {
        let data = target.join(format!("{graph}.perf"));
        // Stacks are kept whole: those of signatures are deep.
        let mut perf =
            command("perf", "record --quiet -e cpu-clock -F 499 --call-graph dwarf,65528 -o");
        perf.arg(&data).arg(&oaklath).args(["tls-bench", "-m", "--one-core", "--mutual"]);
        perf.args(["-S", "16", "-p", "16", "-t", &args.seconds.to_string()]);
        run_shown(perf.args(["--pqc", group, "--certificates", certificates]))?;
        let mut script = command("perf", "script --no-inline -F ip,sym -i");
        let profile = Profile::read(&capture(script.arg(&data))?);
        ensure!(profile.samples > 0, "perf has no sample of a connection");
        let path = Path::new(PAGE).with_file_name(format!("{graph}.svg"));
        fs::write(&path, profile.svg()).with_context(|| path.display().to_string())?;
        profiles.push(profile);
    }
    let [ml_dsa, falcon] = &profiles[..] else { unreachable!("a profile of each handshake") };
    fs::write(PAGE, page(&measured, [ml_dsa, falcon])).context(PAGE)
}

impl Profile {
    /// Reads stacks, one function a line from the innermost on, with an empty line between them.
    fn read(script: &str) -> Self {
        let mut profile = Self::default();
        for stack in script.split("\n\n") {
            let function = |line: &str| Some(line.trim().split_once(' ')?.1.to_owned());
            let functions: Vec<_> = stack.lines().filter_map(function).collect();
            let side = |(i, name): (usize, &String)| {
                let side = SIDES.iter().find(|(begin, _)| name.contains(begin))?;
                Some((i, side.1))
            };
            match functions.iter().enumerate().find_map(side) {
                Some((end, side)) => profile.add(&functions[..end], side),
                None if functions.iter().any(|name| name.contains(DEEP)) => {
                    profile.add(&functions, "deeper than perf looks");
                }
                None => {}
            }
        }
        profile
    }

    /// Adds a sample of the functions that a side has called, the innermost first.
    fn add(&mut self, functions: &[String], side: &str) {
        let is_of = |(_, _, names): &Part| {
            let called = |name: &&str| functions.iter().any(|function| function.contains(*name));
            names.iter().any(|name| name.is_empty() || called(name))
        };
        let part = PARTS.iter().position(is_of).expect("the last part has every sample");
        self.parts[part] += 1;
        self.samples += 1;
        let own = functions.first().map_or(side, String::as_str);
        *self.functions.entry(own.to_owned()).or_default() += 1;
        let mut frame = &mut self.flame;
        frame.samples += 1;
        for name in [side].into_iter().chain(functions.iter().rev().map(String::as_str)) {
            frame = frame.callees.entry(name.to_owned()).or_default();
            frame.samples += 1;
        }
    }

    fn percent(&self, samples: u32) -> f64 {
        f64::from(samples) * 100.0 / f64::from(self.samples)
    }

    /// Draws the flame graph: each box is as wide as its share, above that of its caller.
    fn svg(&self) -> String {
        let mut boxes = String::new();
        let depth = self.boxes(&self.flame, (0.0, 0), &mut boxes);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {}\" \
             font-family=\"monospace\" font-size=\"11\">\n{boxes}</svg>\n",
            (depth + 1) * HEIGHT
        )
    }

    /// Draws the callees of a frame, from a place on; returns its depth.
    fn boxes(&self, frame: &Frame, (mut x, depth): (f64, usize), out: &mut String) -> usize {
        let mut deepest = depth;
        for (name, callee) in &frame.callees {
            let percent = self.percent(callee.samples);
            let width = percent * WIDTH / 100.0;
            if width >= LEAST {
                let (y, shown) = (depth * HEIGHT, escaped(name));
                let room = (width / LETTER) as usize;
                let label = escaped(&name.chars().take(room).collect::<String>());
                let color = if name.contains("oaklath_") { "#9bd39b" } else { "#f2c38a" };
                let _ = writeln!(
                    out,
                    "<g><title>{shown} {percent:.1} %</title><rect x=\"{x:.1}\" y=\"{y}\" \
                     width=\"{width:.1}\" height=\"{HEIGHT}\" fill=\"{color}\" stroke=\"#fff\"/>\
                     <text x=\"{:.1}\" y=\"{}\">{label}</text></g>",
                    x + 2.0,
                    y + HEIGHT - 4,
                );
                deepest = deepest.max(self.boxes(callee, (x, depth + 1), out));
            }
            x += width;
        }
        deepest
    }
}

/// Sizes in points: the width of a flame graph, the height of a box, the narrowest box, a letter.
const WIDTH: f64 = 1200.0;
const HEIGHT: usize = 16;
const LEAST: f64 = 1.5;
const LETTER: f64 = 6.7;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the page: parts, and functions that take much time.
fn page(measured: &Value, profiles: [&Profile; 2]) -> String {
    let [first, second] =
        HANDSHAKES.map(|(group, certificates, _)| format!("{group}, {certificates}"));
    let mut page = format!(
        "## Shares of a handshake\n{}, best level {}, TLS over aws-lc-rs, {}, load average {} when it began.\n\n\
         `cargo xtask profile`: where the samples of perf fall, in percent, in connections with \
         certificates on both sides, both sides on one core and connected by memory. A sample belongs \
         to the first line that has a function in its stack. Flame graphs: [{first}]({}.svg), \
         [{second}]({}.svg).\n\n| part | {first} | {second} | whose code |\n|---|---:|---:|---|\n",
        text(measured, "cpu"),
        text(measured, "level"),
        text(measured, "measured"),
        measured["load"],
        HANDSHAKES[0].2,
        HANDSHAKES[1].2,
    );
    let row = |name: &str, samples: [u32; 2], whose: &str| {
        let [a, b] = [0, 1].map(|i| profiles[i].percent(samples[i]));
        format!("| {name} | {a:.1} | {b:.1} | {whose} |\n")
    };
    for (i, (name, whose, _)) in PARTS.iter().enumerate() {
        page += &row(name, profiles.map(|profile| profile.parts[i]), whose);
    }
    page += &format!(
        "\nFunctions that take more than 3 % by themselves:\n\n| function | {first} | {second} |\n|---|---:|---:|\n"
    );
    let own =
        |name: &String| profiles.map(|profile| profile.functions.get(name).copied().unwrap_or(0));
    let largest =
        |samples: [u32; 2]| profiles[0].percent(samples[0]).max(profiles[1].percent(samples[1]));
    let names: BTreeMap<&String, [u32; 2]> = profiles
        .iter()
        .flat_map(|profile| profile.functions.keys())
        .map(|name| (name, own(name)))
        .filter(|(_, samples)| largest(*samples) > 3.0)
        .collect();
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_by(|a, b| largest(b.1).total_cmp(&largest(a.1)));
    for (name, samples) in names {
        let [a, b] = [0, 1].map(|i| profiles[i].percent(samples[i]));
        let _ = writeln!(page, "| `{name}` | {a:.1} | {b:.1} |");
    }
    page
}

fn text<'a>(measured: &'a Value, key: &str) -> &'a str {
    measured[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "
        1 sha512_block
        2 rustls::key_schedule::derive
        3 oaklath_cli::tls_bench::engine::call
        4 main

        1 permute<4>
        2 oaklath_kem::encapsulate
        3 oaklath_cli::tls_bench::engine::accept

        1 recurse
        2 oaklath_sig::sample
        3 [unknown]

        1 elsewhere
        2 main
";

    #[test]
    fn samples_belong_to_the_first_part_of_their_stack() {
        let profile = Profile::read(SCRIPT);
        assert_eq!(profile.samples, 3);
        assert_eq!(profile.flame.callees.len(), 3);
        let part = |name: &str| {
            let at = PARTS.iter().position(|part| part.0 == name).unwrap();
            profile.parts[at]
        };
        assert_eq!(part("key schedule"), 1);
        assert_eq!(part("key exchange, the KEM"), 1);
        assert_eq!(part("signing"), 1);
        assert_eq!(part("transcript") + part("messages and the rest"), 0);
    }

    #[test]
    fn graph_and_page_have_what_takes_time() {
        let profile = Profile::read(SCRIPT);
        let svg = profile.svg();
        assert_eq!(svg.matches("<rect").count(), 10);
        assert!(svg.contains("permute&lt;4&gt; 33.3 %"), "{svg}");
        let page = page(&serde_json::json!({ "load": 0.5 }), [&profile, &profile]);
        assert!(page.contains("| key schedule | 33.3 | 33.3 | rustls, aws-lc |"), "{page}");
        assert!(page.contains("| `sha512_block` | 33.3 | 33.3 |"), "{page}");
    }
}
