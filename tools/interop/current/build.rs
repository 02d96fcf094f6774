//! Compiles hash-sigs and xmss-reference as liboqs has them (`src/sig_stfl`), from the source that
//! the crate `oqs-sys` carries, hash-sigs with its loops repaired. Their hash functions and memory
//! are those of the liboqs that `oqs-sys` builds.

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
};

use cargo_metadata::MetadataCommand;

/// The headers of liboqs that their sources include.
const HEADERS: [&str; 6] = [
    "common/common.h",
    "common/rand/rand.h",
    "common/sha2/sha2.h",
    "common/sha2/sha2_ops.h",
    "common/sha3/sha3.h",
    "common/sha3/sha3_ops.h",
];

/// The configuration that cmake would write; keys and signatures are left out without it.
const CONFIG: &str =
    "#define OQS_ALLOW_LMS_KEY_AND_SIG_GEN\n#define OQS_ALLOW_XMSS_KEY_AND_SIG_GEN\n";

/// xmss-reference is compiled once for each hash function: the prefix of its functions, and the
/// number of the hash in its `core_hash.h`.
const XMSS_HASHES: [(&str, &str); 7] = [
    ("sha256_192", "1"),
    ("shake256_192", "2"),
    ("sha256_256", "3"),
    ("shake128_256", "4"),
    ("shake256_256", "5"),
    ("sha512_512", "6"),
    ("shake256_512", "7"),
];

/// What liboqs broke in hash-sigs when it made the counters of loops unsigned, by file: at the top
/// level a key neither took stored nodes nor moved on to the next subtree, so that its signatures
/// became wrong, and it expired with the first lower tree. Each text occurs once.
const REPAIRS: [(&str, [[&str; 2]; 3]); 2] = [
    (
        "hss_generate.c",
        [
            [
                "for (i = w->levels; i >= 1 ; i--) {
        struct merkle_level *tree = w->tree[i-1];
        unsigned hash_size",
                "for (i = w->levels; i-- > 0; ) {
        struct merkle_level *tree = w->tree[i];
        unsigned hash_size",
            ],
            ["if ((i-1) > 0) {", "if (i > 0) {"],
            ["if ((i-1) != w->levels - 1) {", "if (i != w->levels - 1) {"],
        ],
    ),
    (
        "hss_sign.c",
        [
            ["for (i = w->levels-1; i>=1; i--, merkle", "for (i = w->levels; i-- > 0; merkle"],
            ["if ((i-1) == 0) {", "if (i == 0) {"],
            ["*tree_l = w->tree[i];", "*tree_l = tree = w->tree[i];"],
        ],
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let source = liboqs()?.join("src");
    let include = include(&source)?;
    let compile = |folder: &str, without: &[&str]| -> io::Result<cc::Build> {
        let mut build = cc::Build::new();
        build.include(&include).opt_level(3).warnings(false);
        for entry in fs::read_dir(source.join(folder))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default();
            if path.extension().is_some_and(|ext| ext == "c") && !without.iter().any(|n| name == *n)
            {
                build.file(path);
            }
        }
        Ok(build)
    };
    let hash_sigs = "sig_stfl/lms/external";
    let mut build = compile(hash_sigs, &["hss_thread_single.c", REPAIRS[0].0, REPAIRS[1].0])?;
    build.include(source.join(hash_sigs));
    for (name, repairs) in REPAIRS {
        let mut text = fs::read_to_string(source.join(hash_sigs).join(name))?;
        for [broken, repaired] in repairs {
            assert_eq!(text.matches(broken).count(), 1, "{name}: {broken}");
            text = text.replace(broken, repaired);
        }
        let path = include.join(name);
        fs::write(&path, text)?;
        build.file(path);
    }
    // liboqs does not compile the file for threads, which forgets to include this header.
    build.flag("-include").flag("oqs/common.h").try_compile("hash_sigs")?;
    for (name, number) in XMSS_HASHES {
        let mut build = compile("sig_stfl/xmss/external", &[])?;
        build.define("XMSS_PARAMS_NAMESPACE", name).define("HASH", number);
        build.try_compile(&format!("xmss_{name}"))?;
    }
    Ok(())
}

/// Returns the folder of liboqs' source.
fn liboqs() -> Result<PathBuf, Box<dyn Error>> {
    let manifest = env::var("CARGO_MANIFEST_DIR")? + "/Cargo.toml";
    let metadata = MetadataCommand::new().manifest_path(manifest).exec()?;
    let package = metadata.packages.iter().find(|package| package.name.as_str() == "oqs-sys");
    let package = package.ok_or("oqs-sys is no dependency")?;
    Ok(package.manifest_path.with_file_name("liboqs").into())
}

/// Writes the headers as cmake installs them.
fn include(source: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let include = PathBuf::from(env::var("OUT_DIR")?).join("include");
    let oqs = include.join("oqs");
    fs::create_dir_all(&oqs)?;
    let mut all = String::new();
    for header in HEADERS {
        let path = source.join(header);
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, oqs.join(name))?;
        all += &format!("#include <oqs/{}>\n", name.display());
    }
    fs::write(oqs.join("oqs.h"), all)?;
    fs::write(oqs.join("oqsconfig.h"), CONFIG)?;
    Ok(include)
}
