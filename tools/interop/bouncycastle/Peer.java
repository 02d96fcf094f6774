// The client and the server of Bouncy Castle's JSSE provider, with the flags and the printouts of
// `oaklath client` and `oaklath server`: one connection with mutual authentication, TLS 1.3 and one
// group of key exchange, a message each way. The provider does not report the group.

import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Security;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.jsse.BCSSLParameters;
import org.bouncycastle.jsse.BCSSLSocket;
import org.bouncycastle.jsse.provider.BouncyCastleJsseProvider;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;

final class Peer {
    private static final String CLIENT_SAYS = "hello wolfssl!";
    private static final String SERVER_SAYS = "I hear you fa shizzle!";
    /** Longer than any handshake takes, in milliseconds; a peer that stalls longer is an error. */
    private static final int TIMEOUT = 60_000;
    private static final char[] PASSWORD = "memory only".toCharArray();

    private static final String SIGNATURES =
            "mldsa44,mldsa65,mldsa87,ecdsa_secp256r1_sha256,rsa_pss_rsae_sha256,rsa_pkcs1_sha256,"
                    + "slhdsa_sha2_128s,slhdsa_sha2_128f,slhdsa_sha2_192s,slhdsa_sha2_192f,"
                    + "slhdsa_sha2_256s,slhdsa_sha2_256f,slhdsa_shake_128s,slhdsa_shake_128f,"
                    + "slhdsa_shake_192s,slhdsa_shake_192f,slhdsa_shake_256s,slhdsa_shake_256f";
    private static final Logger LOGGER = Logger.getLogger("org.bouncycastle");

    private final SSLContext context;
    private final String group;

    public static void main(String[] args) {
        try {
            run(args);
        } catch (Exception error) {
            System.err.println("error: " + error);
            System.exit(1);
        }
    }

    private static void run(String[] args) throws Exception {
        Map<String, String> flags = new HashMap<>();
        for (int i = 1; i + 1 < args.length; i += 2) {
            flags.put(args[i], args[i + 1]);
        }
        LOGGER.setLevel(Level.OFF);
        // The provider's default limit is too low for chains of SLH-DSA.
        System.setProperty("jdk.tls.maxHandshakeMessageSize", "262144");
        // The schemes of ML-DSA and SLH-DSA are not among the defaults.
        System.setProperty("jdk.tls.client.SignatureSchemes", SIGNATURES);
        System.setProperty("jdk.tls.server.SignatureSchemes", SIGNATURES);
        Security.addProvider(new BouncyCastleProvider());
        Security.addProvider(new BouncyCastleJsseProvider());
        Peer peer = new Peer(flags);
        String host = flags.get("-h");
        int port = Integer.parseInt(flags.get("-p"));
        switch (args[0]) {
            case "client" -> peer.client(host, port);
            case "server" -> peer.server(host, port);
            default -> throw new IllegalArgumentException("expected `client` or `server`");
        }
    }

    /** Prepares either side: each shows its certificate and checks the other's. */
    private Peer(Map<String, String> flags) throws Exception {
        group = groupName(flags.get("--pqc"));
        KeyStore roots = KeyStore.getInstance("PKCS12", "BC");
        roots.load(null);
        roots.setCertificateEntry("root", certificate(flags.get("-A")));
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX", "BCJSSE");
        trust.init(roots);
        KeyStore own = KeyStore.getInstance("PKCS12", "BC");
        own.load(null);
        Certificate[] chain = {certificate(flags.get("-c"))};
        own.setKeyEntry("own", key(flags.get("-k")), PASSWORD, chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX", "BCJSSE");
        keys.init(own, PASSWORD);
        context = SSLContext.getInstance("TLSv1.3", "BCJSSE");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    }

    /** Returns the name of a group: the provider takes no numbers. */
    private static String groupName(String codepoint) {
        return switch (codepoint) {
            case "512" -> "MLKEM512";
            case "513" -> "MLKEM768";
            case "514" -> "MLKEM1024";
            case "4587" -> "SecP256r1MLKEM768";
            case "4588" -> "X25519MLKEM768";
            case "4589" -> "SecP384r1MLKEM1024";
            default -> throw new IllegalArgumentException("no group " + codepoint);
        };
    }

    private static X509Certificate certificate(String file) throws Exception {
        X509CertificateHolder holder = (X509CertificateHolder) pem(file);
        return new JcaX509CertificateConverter().setProvider("BC").getCertificate(holder);
    }

    private static PrivateKey key(String file) throws Exception {
        return new JcaPEMKeyConverter().setProvider("BC").getPrivateKey((PrivateKeyInfo) pem(file));
    }

    /** Reads the first object of a PEM file. */
    private static Object pem(String file) throws IOException {
        try (Reader reader = Files.newBufferedReader(Path.of(file));
                PEMParser parser = new PEMParser(reader)) {
            return parser.readObject();
        }
    }

    private void client(String host, int port) throws Exception {
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(host, port)) {
            BCSSLParameters parameters = choose(socket);
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            ((BCSSLSocket) socket).setParameters(parameters);
            socket.startHandshake();
            tell(socket.getSession());
            say(socket, CLIENT_SAYS);
            hear(socket, SERVER_SAYS);
        }
    }

    private void server(String host, int port) throws Exception {
        var factory = context.getServerSocketFactory();
        InetAddress address = InetAddress.getByName(host);
        try (SSLServerSocket listener = (SSLServerSocket) factory.createServerSocket(port, 1, address)) {
            System.out.println("listening on " + host + ":" + listener.getLocalPort());
            try (SSLSocket socket = (SSLSocket) listener.accept()) {
                BCSSLParameters parameters = choose(socket);
                parameters.setNeedClientAuth(true);
                ((BCSSLSocket) socket).setParameters(parameters);
                socket.startHandshake();
                tell(socket.getSession());
                hear(socket, CLIENT_SAYS);
                say(socket, SERVER_SAYS);
            }
        }
    }

    /**
     * Chooses the one group, and sets the timeout. The curve is for signatures, which the provider leaves out
     * without it; the other side does not support it as a group.
     */
    private BCSSLParameters choose(SSLSocket socket) throws IOException {
        socket.setSoTimeout(TIMEOUT);
        BCSSLParameters parameters = ((BCSSLSocket) socket).getParameters();
        parameters.setNamedGroups(new String[] {group, "secp256r1"});
        return parameters;
    }

    /** Prints whom the handshake has authenticated, and what was negotiated. */
    private static void tell(SSLSession session) throws IOException {
        X509Certificate peer = (X509Certificate) session.getPeerCertificates()[0];
        System.out.println("peer's certificate: " + peer.getSubjectX500Principal().getName());
        System.out.println("SSL version is " + session.getProtocol());
        System.out.println("SSL cipher suite is " + session.getCipherSuite());
    }

    private static void say(SSLSocket socket, String message) throws IOException {
        socket.getOutputStream().write(message.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    /** Reads one message, which must be the expected one. */
    private static void hear(SSLSocket socket, String expected) throws IOException {
        InputStream input = socket.getInputStream();
        String heard = new String(input.readNBytes(expected.length()), StandardCharsets.UTF_8);
        System.out.println(heard);
        if (!heard.equals(expected)) {
            throw new IOException("expected the message `" + expected + "`, found `" + heard + "`");
        }
    }
}
