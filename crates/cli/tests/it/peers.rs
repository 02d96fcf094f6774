//! `oaklath server` and `oaklath client` as two processes over loopback, at free ports.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use oaklath_cli::testpki;
use rustls::{ServerConfig, ServerConnection, Stream};

use crate::folder::Folder;

const OAKLATH: &str = env!("CARGO_BIN_EXE_oaklath");

/// A server that is listening.
struct Server {
    process: Child,
    stdout: BufReader<ChildStdout>,
    stderr: ChildStderr,
    port: String,
    /// What the server printed before it listened.
    before: String,
}

impl Server {
    fn start(args: &[&str]) -> Self {
        Self::start_in(Path::new("."), args)
    }

    fn start_in(folder: &Path, args: &[&str]) -> Self {
        Self::start_with(folder, args, &[])
    }

    fn start_with(folder: &Path, args: &[&str], environment: &[(&str, &Path)]) -> Self {
        let mut command = Command::new(OAKLATH);
        command.current_dir(folder).args(["server", "-p", "0"]).args(args);
        command.envs(environment.iter().copied());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("a server");
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let stderr = process.stderr.take().unwrap();
        let (port, before) = Default::default();
        let mut server = Self { process, stdout, stderr, port, before };
        while server.port.is_empty() {
            let mut line = String::new();
            let n = server.stdout.read_line(&mut line).unwrap();
            assert!(n > 0, "the server ended: {}", server.before);
            match line.strip_prefix("listening on ") {
                Some(address) => server.port = address.trim().rsplit(':').next().unwrap().into(),
                None => server.before += &line,
            }
        }
        server
    }

    fn client(&self, args: &[&str]) -> Output {
        Command::new(OAKLATH).args(["client", "-p", &self.port]).args(args).output().unwrap()
    }

    /// Returns the exit code, standard output after the first lines, and standard error.
    fn end(mut self) -> (i32, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        self.stdout.read_to_string(&mut out).unwrap();
        self.stderr.read_to_string(&mut err).unwrap();
        (self.process.wait().unwrap().code().unwrap(), out, err)
    }
}

/// Kills the server, so that no test leaves one behind.
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The KEMs of the appendix and the curves they are combined with: 13 groups of each kind.
const APPENDIX: [(&str, &str); 13] = [
    ("KYBER_LEVEL1", "P256"),
    ("KYBER_LEVEL3", "P384"),
    ("KYBER_LEVEL5", "P521"),
    ("KYBER_90S_LEVEL1", "P256"),
    ("KYBER_90S_LEVEL3", "P384"),
    ("KYBER_90S_LEVEL5", "P521"),
    ("NTRU_HPS_LEVEL1", "P256"),
    ("NTRU_HPS_LEVEL3", "P384"),
    ("NTRU_HPS_LEVEL5", "P521"),
    ("NTRU_HRSS_LEVEL3", "P384"),
    ("SABER_LEVEL1", "P256"),
    ("SABER_LEVEL3", "P384"),
    ("SABER_LEVEL5", "P521"),
];

/// Tests every group of this build under all its names, with certificates on both sides; the groups
/// of the appendix are included under their names there.
#[test]
fn every_group_connects() {
    for (kem, curve) in APPENDIX {
        for name in [kem, &format!("{curve}_{kem}")] {
            let found = oaklath_hybrid::Group::by_name(name).unwrap().info();
            assert!(oaklath_hybrid::all().any(|group| group.info().name == found.name), "{name}");
        }
    }
    for group in oaklath_hybrid::all().map(|group| group.info()) {
        let server = Server::start(&["--pqc", group.name]);
        // The other side names the group in another vocabulary.
        let other = group.oqs.or(group.wolfssl).unwrap_or(group.name);
        let client = server.client(&["--oqs", other]);
        assert_eq!(text(&client.stderr), "", "{}", group.name);
        assert_eq!(server.before, format!("Using Post-Quantum KEM: {}\n", group.name));
        let about = |peer, said| {
            format!(
                "peer's certificate: CN=P-256 test {peer},O=Oaklath\n\
                 peer's signature algorithm: ECDSA\nown signature algorithm: ECDSA\n\
                 SSL version is TLSv1.3\n\
                 SSL cipher suite is TLS_AES_256_GCM_SHA384\nSSL curve name is {}\n{said}\n",
                group.name
            )
        };
        let seen = format!("{}{}", server.before, about("server", "I hear you fa shizzle!"));
        assert_eq!(text(&client.stdout), seen);
        assert!(client.status.success());
        let client_seen = about("client", "Client message: hello wolfssl!");
        assert_eq!(server.end(), (0, client_seen, String::new()));
    }
}

/// Returns the arguments for the root of a chain in `certs/`.
fn authority(kind: &str) -> [String; 2] {
    ["-A".into(), format!("{CERTS}{kind}_root_cert.pem")]
}

fn identity(kind: &str) -> [String; 4] {
    let file = |what| format!("{CERTS}{kind}_entity_{what}.pem");
    ["-c".into(), file("cert"), "-k".into(), file("key")]
}

const CERTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../certs/");

fn line<'a>(args: &'a [String], group: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args = args.iter().map(|arg| &**arg);
    args.chain(["--oqs", group]).chain(more.iter().copied()).collect()
}

/// Connects a server and a client with certificates of these kinds, each trusting the other's root.
fn authenticate(group: &str, server: (&str, &str), client: (&str, &str), more: &[&str]) {
    let args = |own, other| [&identity(own)[..], &authority(other)].concat();
    let (server_args, client_args) = (args(server.0, client.0), args(client.0, server.0));
    let process = Server::start(&line(&server_args, group, more));
    let output = process.client(&line(&client_args, group, more));
    assert_eq!(text(&output.stderr), "", "{group} {server:?} {client:?}");
    let (code, out, err) = process.end();
    assert_eq!((code, &*err), (0, ""));
    for (out, own, peer) in [(text(&output.stdout), client, server), (&*out, server, client)] {
        let lines = format!(
            "peer's certificate: CN={name} test entity,O=Oaklath\n\
             peer's signature algorithm: {peer}\nown signature algorithm: {own}\n\
             SSL version is TLSv1.3\n",
            // A plus sign in a name is escaped.
            name = peer.1.replace('+', "\\+"),
            peer = peer.1,
            own = own.1
        );
        assert!(out.contains(&lines), "{out}");
        assert!(out.contains(&format!("\nSSL curve name is {group}\n")), "{out}");
    }
}

/// Tests certificates of every algorithm, the same or different ones on both sides, over a group of
/// the appendix and a current one.
#[test]
fn post_quantum_authentication() {
    let kinds = [
        ("mldsa_level2", "ML-DSA-44"),
        ("mldsa_level3", "ML-DSA-65"),
        ("mldsa_level5", "ML-DSA-87"),
        ("dilithium_level2", "Dilithium2"),
        ("dilithium_level3", "Dilithium3"),
        ("dilithium_level5", "Dilithium5"),
        ("dilithium_aes_level2", "Dilithium2-AES"),
        ("dilithium_aes_level3", "Dilithium3-AES"),
        ("dilithium_aes_level5", "Dilithium5-AES"),
        ("falcon_level1", "Falcon-512"),
        ("falcon_level5", "Falcon-1024"),
    ];
    for group in ["P521_KYBER_LEVEL5", "X25519MLKEM768"] {
        for (i, kind) in kinds.into_iter().enumerate() {
            authenticate(group, kind, kind, &[]);
            // Another family, mostly another level.
            authenticate(group, kind, kinds[(i + 4) % kinds.len()], &[]);
        }
    }
    // The two command lines of the appendix.
    let more = ["-v", "4", "-l", "TLS_AES_256_GCM_SHA384"];
    authenticate("P521_KYBER_LEVEL5", kinds[9], kinds[10], &more);
}

/// Runs the two command lines of the sixth version, in a folder with its certificates.
#[test]
fn the_sixth_version_of_the_appendix() {
    const LINES: [&str; 2] = [
        "-v 4 -l TLS_AES_256_GCM_SHA384 -A mldsa87_root_cert.pem -c mldsa44_entity_cert.pem \
         -k mldsa44_entity_key.pem --pqc SecP521r1MLKEM1024",
        "-v 4 -l TLS_AES_256_GCM_SHA384 -A mldsa44_root_cert.pem -c mldsa87_entity_cert.pem \
         -k mldsa87_entity_key.pem --pqc SecP521r1MLKEM1024",
    ];
    let folder = Folder::new("sixth");
    folder.works("cert chains --profile appendix6 .");
    let server = Server::start_in(&folder.0, &LINES[0].split(' ').collect::<Vec<_>>());
    let client = folder.run(&format!("client -p {} {}", server.port, LINES[1]), b"");
    let out = text(&client.stdout);
    assert!(client.status.success(), "{}", text(&client.stderr));
    assert!(out.contains("peer's signature algorithm: ML-DSA-44\n"), "{out}");
    assert!(out.contains("own signature algorithm: ML-DSA-87\n"), "{out}");
    assert!(out.contains("SSL curve name is SecP521r1MLKEM1024\nI hear you"), "{out}");
    assert_eq!(server.end().0, 0);
}

/// The sixth version's note: a client may be asked only for curves that it offers.
#[test]
fn a_curve_that_is_not_offered_is_not_asked_for() {
    let server = Server::start(&["--pqc", "P-256", "-C", "2"]);
    let offers = |args: &[&str]| {
        let client = server.client(args);
        (client.status.success(), text(&client.stdout).to_owned() + text(&client.stderr))
    };
    let (connected, said) = offers(&["--pqc", "X25519MLKEM768,P-256"]);
    assert!(connected && said.contains("SSL curve name is P-256"), "{said}");
    let (connected, said) = offers(&["--pq-only"]);
    assert!(!connected && said.contains("HandshakeFailure"), "{said}");
}

/// A connection is captured with the secrets of a server; tshark, if installed, decrypts the
/// messages.
#[test]
fn what_passes_is_captured() {
    let folder = Folder::new("capture");
    let (log, file) = (folder.0.join("keys"), folder.0.join("capture.pcapng"));
    let server =
        Server::start_with(&folder.0, &["--pqc", "X25519MLKEM768"], &[("SSLKEYLOGFILE", &log)]);
    let port = server.port.clone();
    let line = format!("client -p {port} --capture capture.pcapng");
    let client = folder.run(&line, b"");
    assert!(client.status.success(), "{}", text(&client.stderr));
    assert_eq!(server.end().0, 0);
    folder.fails(&line, 1, "cannot write capture.pcapng");
    let (secrets, capture) = (folder.read("keys"), folder.read("capture.pcapng"));
    // Both sides have the same secrets.
    let traffic = |line: &&str| line.starts_with("CLIENT_TRAFFIC_SECRET_0 ");
    let line = text(&secrets).lines().find(traffic).unwrap().as_bytes();
    assert!(capture.windows(line.len()).any(|found| found == line));
    let mut tshark = Command::new("tshark");
    tshark.arg("-r").arg(&file).args(["-d", &format!("tcp.port=={port},tls")]);
    tshark.args(["-q", "-z", "follow,tls,ascii,0"]);
    let Ok(read) = tshark.output() else { return };
    let said = text(&read.stdout);
    assert!(said.contains("hello wolfssl!") && said.contains("I hear you"), "{said}");
}

/// Hash-based signatures: flights of up to 101 KB from either side.
#[test]
fn authentication_by_hash_trees() {
    let kinds = [
        ("sphincs_fast_level1", "SPHINCS+-SHAKE256-128f-simple"),
        ("sphincs_fast_level3", "SPHINCS+-SHAKE256-192f-simple"),
        ("sphincs_fast_level5", "SPHINCS+-SHAKE256-256f-simple"),
        ("sphincs_small_level1", "SPHINCS+-SHAKE256-128s-simple"),
        ("slhdsa_sha2_128s", "SLH-DSA-SHA2-128s"),
        ("slhdsa_sha2_192f", "SLH-DSA-SHA2-192f"),
        ("slhdsa_shake_256f", "SLH-DSA-SHAKE-256f"),
    ];
    for (i, kind) in kinds.into_iter().enumerate() {
        authenticate("P521_KYBER_LEVEL5", kind, kind, &[]);
        authenticate("X25519MLKEM768", kind, kinds[(i + 3) % kinds.len()], &[]);
    }
    // Sessions are resumed without these signatures.
    let long = [&identity(kinds[6].0)[..], &authority(kinds[6].0)].concat();
    let server = Server::start(&line(&long, "X25519MLKEM768", &["-r"]));
    let client = server.client(&line(&long, "X25519MLKEM768", &["-r"]));
    assert_eq!(text(&client.stderr), "");
    assert_eq!(text(&client.stdout).matches("SSL reused session").count(), 1);
    assert_eq!(server.end().0, 0);
}

/// Two long signatures do not fit into one chain, which is neither issued nor presented.
#[test]
fn a_chain_that_is_too_long() {
    let folder = Folder::new("long");
    let key =
        |name: &str| format!("--subject CN={name} --new-key slhdsa_sha2_192f --key-out {name}.key");
    folder.works(&format!("cert root {} -o root.pem", key("root")));
    let below = "--issuer root.pem --issuer-key root.key";
    folder.works(&format!("cert intermediate {} -o mid.pem {below}", key("mid")));
    let below = "--issuer mid.pem --issuer-key mid.key --san 127.0.0.1";
    let output = folder.run(&format!("cert issue {} -o leaf.pem {below}", key("leaf")), b"");
    let err = text(&output.stderr);
    assert!(
        err.starts_with("error: certificates of 7") && err.contains("\nhint: let the root"),
        "{err}"
    );
    assert_eq!(output.status.code(), Some(1));
    assert!(!folder.0.join("leaf.pem").exists() && !folder.0.join("leaf.key").exists());
    // Such a chain may have been issued by another program.
    let chain = [folder.read("mid.pem"), folder.read("mid.pem")].concat();
    std::fs::write(folder.0.join("chain.pem"), chain).unwrap();
    for program in ["server", "client"] {
        let error = "chain.pem and mid.key: certificates of 7";
        let output = folder.run(&format!("{program} -c chain.pem -k mid.key"), b"");
        let err = text(&output.stderr);
        assert!(err.contains(error) && err.contains(" TLS has room for 65535\nhint: "), "{err}");
    }
}

/// Chains issued by `oaklath cert`: root and intermediate of level 5, entities of levels 2 and 3.
#[test]
fn chains_of_mixed_levels_made_here() {
    let folder = Folder::new("mixed");
    folder.works("cert root --subject CN=Root --new-key ML-DSA-87 --key-out root.key -o root.pem");
    let below = "--issuer root.pem --issuer-key root.key";
    folder.works(&format!(
        "cert intermediate --subject CN=Mid --new-key dilithium5 --key-out mid.key -o mid.pem {below}"
    ));
    let below = "--issuer mid.pem --issuer-key mid.key --san 127.0.0.1";
    for (name, algorithm) in [("server", "ML-DSA-44"), ("client", "dilithium3")] {
        folder.works(&format!(
            "cert issue --subject CN={name} --new-key {algorithm} --key-out {name}.key \
             -o {name}.pem {below}"
        ));
        let chain = [folder.read(&format!("{name}.pem")), folder.read("mid.pem")].concat();
        std::fs::write(folder.0.join(format!("{name}.chain")), chain).unwrap();
    }
    let path = |name: &str| folder.0.join(name).into_os_string().into_string().unwrap();
    let args = |name: &str| {
        let (chain, key) = (path(&format!("{name}.chain")), path(&format!("{name}.key")));
        ["-A".into(), path("root.pem"), "-c".into(), chain, "-k".into(), key]
    };
    let (server_args, client_args) = (args("server"), args("client"));
    let server = Server::start(&server_args.each_ref().map(|arg| &**arg));
    let client = server.client(&client_args.each_ref().map(|arg| &**arg));
    assert_eq!(text(&client.stderr), "");
    assert!(text(&client.stdout).contains("\npeer's signature algorithm: ML-DSA-44\n"));
    let (code, out, _) = server.end();
    assert!(code == 0 && out.contains("\npeer's signature algorithm: Dilithium3\n"), "{out}");

    // A root that issued neither, the other's key, TLS 1.2.
    let other = format!("{CERTS}mldsa_level5_root_cert.pem");
    let server = Server::start(&server_args.each_ref().map(|arg| &**arg));
    let [_, _, c, chain, k, key] = client_args.each_ref().map(|arg| &**arg);
    let client = server.client(&["-A", &other, c, chain, k, key]);
    let err = text(&client.stderr);
    assert!(err.contains("UnknownIssuer") && err.contains("\nhint: name the issuer"), "{err}");
    assert_eq!(server.end().0, 1);
    let error = "client.chain and server.key: the key is not that of the certificate";
    folder.fails("client -c client.chain -k server.key", 1, error);
    let output = folder.run("client -v 3 -c client.chain -k client.key", b"");
    assert!(text(&output.stderr).ends_with("need TLS 1.3: leave `-v 3` out\n"));
}

/// A capture that was begun in vain would have to be removed before the next try.
#[test]
fn nothing_is_captured_before_a_connection_is_possible() {
    let folder = Folder::new("no-capture");
    let taken = Server::start(&[]);
    for (line, error) in [
        ("client -c none -k none", "cannot read none: "),
        ("client --name a*b", "`a*b` is neither a name nor an address"),
        ("server -c none -k none", "cannot read none: "),
        (&*format!("server -p {}", taken.port), "cannot listen on "),
    ] {
        let output = folder.run(&format!("{line} --capture file"), b"");
        let said = text(&output.stderr);
        assert!(said.starts_with(&format!("error: {error}")), "{said}");
        assert!(!folder.0.join("file").exists(), "{line}");
    }
}

#[test]
fn a_session_is_resumed() {
    for version in ["3", "4"] {
        let server = Server::start(&["-r", "-v", version]);
        let client = server.client(&["-r", "-v", version]);
        assert_eq!(text(&client.stderr), "");
        assert_eq!(text(&client.stdout).matches("SSL reused session").count(), 1);
        assert_eq!(text(&client.stdout).matches("I hear you fa shizzle!").count(), 2);
        let (code, out, err) = server.end();
        assert_eq!((code, &*err), (0, ""));
        assert_eq!(out.matches("SSL reused session").count(), 1);
    }
}

#[test]
fn connections_are_timed() {
    let server = Server::start(&["-C", "3"]);
    let client = server.client(&["-b", "3"]);
    let out = text(&client.stdout);
    assert!(out.contains("\nconnect avg took: ") && out.contains(" over 3 connections\n"), "{out}");
    assert_eq!(server.end().0, 0);
}

#[test]
fn a_page_is_served() {
    let server = Server::start(&[]);
    let client = server.client(&["-g"]);
    let out = text(&client.stdout);
    assert!(out.contains("\nHTTP/1.1 200 OK\nContent-Type: text/html\n"), "{out}");
    // The server's report about the connection is on the page, too.
    let negotiated = "SSL version is TLSv1.3\nSSL cipher suite is TLS_AES_256_GCM_SHA384\n\
        SSL curve name is X25519MLKEM768\n";
    assert!(out.contains(&format!("\n<pre>\n{negotiated}</pre>\n")), "{out}");
    let (code, out, _) = server.end();
    assert!(code == 0 && out.contains("Client message: GET / HTTP/1.1\n"), "{out}");
}

/// A server without an order of its own takes the first group of a client's list.
#[test]
fn a_server_has_an_order_or_insists() {
    let group = |server: &[&str], list: &str| {
        let server = Server::start(server);
        let client = server.client(&["--pqc", list]);
        let out = text(&client.stdout).to_owned();
        let found = out.lines().find_map(|line| line.strip_prefix("SSL curve name is "));
        found.map(str::to_owned).ok_or(text(&client.stderr).to_owned())
    };
    for (list, first, best) in [
        ("X25519,X25519MLKEM768", "X25519", "X25519MLKEM768"),
        ("P-256,SecP384r1MLKEM1024", "P-256", "SecP384r1MLKEM1024"),
        ("MLKEM512,X25519MLKEM768", "X25519MLKEM768", "X25519MLKEM768"),
    ] {
        assert_eq!(group(&[], list).as_deref(), Ok(first));
        assert_eq!(group(&["--own-order"], list).as_deref(), Ok(best));
        assert_eq!(group(&["--pq-only"], list).as_deref(), Ok(best));
    }
    assert_eq!(group(&["--own-order"], "P-256").as_deref(), Ok("P-256"));
    let refused = group(&["--pq-only"], "P-256").unwrap_err();
    assert!(refused.contains("HandshakeFailure"), "{refused}");
    for (args, says) in [
        ("client --pq-only -v 3", "a post-quantum group needs TLS 1.3"),
        ("server --pq-only --pqc X25519", "expected a post-quantum group, found the classical"),
    ] {
        Folder::new("pq-only").fails(args, 2, says);
    }
}

/// Without tickets there is nothing to resume with.
#[test]
fn a_server_without_tickets() {
    let server = Server::start(&["-T", "-C", "2"]);
    let client = server.client(&["-r"]);
    assert_eq!(text(&client.stderr), "error: the server did not resume the session\n");
    assert_eq!(server.end().0, 0);
}

/// A byte now and then does not hold the server longer than silence.
#[test]
fn a_slow_client_does_not_hold_the_server() {
    let server = Server::start(&["-C", "2", "--timeout", "1"]);
    let mut slow = TcpStream::connect(format!("127.0.0.1:{}", server.port)).unwrap();
    let slow = thread::spawn(move || {
        // A record that is never complete.
        let drip = [22, 3, 1, 0x3f, 0xff].into_iter().chain([1; 600]);
        drip.take_while(|&byte| {
            thread::sleep(Duration::from_millis(100));
            slow.write_all(&[byte]).is_ok()
        })
        .count()
    });
    let client = server.client(&[]);
    assert!(client.status.success(), "{}", text(&client.stderr));
    assert!(slow.join().unwrap() < 600);
    let (code, _, err) = server.end();
    assert_eq!(code, 1);
    let expected = "error: the handshake failed: the peer took more than 1 seconds\n\
        hint: `--timeout` waits longer\n";
    assert!(err.starts_with(expected), "{err}");
}

/// Starts a server that answers messages and disconnects without `close_notify`, as many do.
fn rude_server(connections: usize) -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let pki = &testpki::P256;
    let mut config = ServerConfig::builder_with_provider(oaklath_tls::provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(pki.server.chain().unwrap(), pki.server.key().unwrap())
        .unwrap();
    config.send_tls13_tickets = 0;
    let config = Arc::new(config);
    let serve = move || {
        for _ in 0..connections {
            let mut socket = listener.accept().unwrap().0;
            let mut tls = ServerConnection::new(config.clone()).unwrap();
            let mut stream = Stream::new(&mut tls, &mut socket);
            // A client that only measures sends nothing.
            if stream.read(&mut [0; 1024]).unwrap() > 0 {
                stream.write_all(b"all that there is\x1b[2J").unwrap();
                stream.flush().unwrap();
            }
        }
    };
    (port, thread::spawn(serve))
}

#[test]
fn servers_that_leave_without_a_word() {
    let (port, server) = rude_server(3);
    let client = |args: &[&str]| {
        Command::new(OAKLATH).args(["client", "-p", &port]).args(args).output().unwrap()
    };
    let page = client(&["-g"]);
    assert!(text(&page.stdout).ends_with("\nall that there is?[2J\n"), "{}", text(&page.stdout));
    let warning = "warning: the peer left without close_notify, more may be missing\n";
    assert_eq!(text(&page.stderr), warning);
    assert!(page.status.success());
    let timed = client(&["-b", "2"]);
    assert!(text(&timed.stdout).contains(" over 2 connections\n"), "{}", text(&timed.stderr));
    server.join().unwrap();
}

/// Each disagreement causes an `error:` and a `hint:` line on both sides, and exit code 1.
#[test]
fn sides_that_disagree() {
    let certs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../certs/");
    let rsa = [
        "-c",
        &format!("{certs}rsa2048_server_cert.pem"),
        "-k",
        &format!("{certs}rsa2048_server_key.pem"),
    ];
    let cases: [(&[&str], &[&str], &str, &str); 4] = [
        (&["--pqc", "MLKEM512"], &["--pqc", "MLKEM768"], "NoKxGroupsInCommon", "HandshakeFailure"),
        (&["-v", "3"], &[], "Tls12NotOfferedOrEnabled", "ProtocolVersion"),
        (
            &["-l", "TLS_AES_128_GCM_SHA256"],
            &["-l", "TLS13-AES256-GCM-SHA384"],
            "NoCipherSuitesInCommon",
            "HandshakeFailure",
        ),
        (&rsa, &[], "UnknownCA", "UnknownIssuer"),
    ];
    for (server_args, client_args, server_says, client_says) in cases {
        let server = Server::start(server_args);
        let client = server.client(client_args);
        let (code, _, err) = server.end();
        for (code, err, says) in [
            (code, &*err, server_says),
            (client.status.code().unwrap(), text(&client.stderr), client_says),
        ] {
            assert_eq!(code, 1, "{err}");
            assert!(
                err.starts_with("error: the handshake failed: ") && err.contains(says),
                "{err}"
            );
            assert!(err.lines().count() == 2 && err.contains("\nhint: "), "{err}");
        }
    }
}

/// With `-d` a side accepts what it would otherwise reject.
#[test]
fn unchecked_peers() {
    let certs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../certs/");
    let file = |name: &str| format!("{certs}rsa2048_{name}.pem");
    let (root, cert, key) = (file("root_cert"), file("server_cert"), file("server_key"));
    // Neither side's certificate was issued by a root that the other trusts.
    let server = Server::start(&["-d", "-A", &root, "-c", &cert, "-k", &key]);
    let client = server.client(&["-d"]);
    assert!(client.status.success(), "{}", text(&client.stderr));
    assert_eq!(server.end().0, 0);
}

#[test]
fn a_busy_port_is_an_error() {
    let server = Server::start(&[]);
    let second = Command::new(OAKLATH).args(["server", "-p", &server.port]).output().unwrap();
    let err = text(&second.stderr);
    assert!(
        err.starts_with(&format!("error: cannot listen on 127.0.0.1:{}: ", server.port)),
        "{err}"
    );
    assert!(err.contains("\nhint: another program listens there"), "{err}");
    assert_eq!(second.status.code(), Some(1));
    assert!(server.client(&[]).status.success());
    assert_eq!(server.end().0, 0);
}
