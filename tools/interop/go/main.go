// The client and the server of Go's crypto/tls, with the flags and the printouts of
// `oaklath client` and `oaklath server`: one connection with mutual authentication, TLS 1.3 and one
// group of key exchange, a message each way.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"
)

const (
	clientSays = "hello wolfssl!"
	serverSays = "I hear you fa shizzle!"
	// Longer than any handshake takes; a peer that stalls longer is an error.
	timeout = 10 * time.Second
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("expected `client` or `server`")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	host := flags.String("h", "127.0.0.1", "`address` to connect to or to listen on")
	port := flags.Uint("p", 11111, "`port`; 0 lets a server choose")
	group := flags.String("pqc", "4588", "`number` of the group of key exchange")
	roots := flags.String("A", "", "`file` of the authorities of the peer's certificate")
	cert := flags.String("c", "", "certificate `file`")
	key := flags.String("k", "", "`file` of the certificate's private key")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	config, err := config(*group, *roots, *cert, *key)
	if err != nil {
		return err
	}
	address := net.JoinHostPort(*host, strconv.FormatUint(uint64(*port), 10))
	switch args[0] {
	case "client":
		return client(address, config)
	case "server":
		return server(address, config)
	}
	return fmt.Errorf("expected `client` or `server`, found `%s`", args[0])
}

// config prepares either side: each shows its certificate and checks the other's.
func config(group, roots, cert, key string) (*tls.Config, error) {
	id, err := strconv.ParseUint(group, 10, 16)
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(roots)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("no certificate in %s", roots)
	}
	own, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		Certificates:     []tls.Certificate{own},
		RootCAs:          pool,
		ClientCAs:        pool,
		ClientAuth:       tls.RequireAndVerifyClientCert,
		MinVersion:       tls.VersionTLS13,
		CurvePreferences: []tls.CurveID{tls.CurveID(id)},
	}, nil
}

func client(address string, config *tls.Config) error {
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: timeout}, "tcp", address, config)
	if err != nil {
		return err
	}
	defer conn.Close()
	tell(conn)
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	if _, err := conn.Write([]byte(clientSays)); err != nil {
		return err
	}
	return hear(conn, serverSays)
}

func server(address string, config *tls.Config) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Println("listening on", listener.Addr())
	socket, err := listener.Accept()
	if err != nil {
		return err
	}
	if err := socket.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	conn := tls.Server(socket, config)
	defer conn.Close()
	if err := conn.Handshake(); err != nil {
		return err
	}
	tell(conn)
	if err := hear(conn, clientSays); err != nil {
		return err
	}
	_, err = conn.Write([]byte(serverSays))
	return err
}

// tell prints what was negotiated, and whom the handshake has authenticated.
func tell(conn *tls.Conn) {
	state := conn.ConnectionState()
	for _, cert := range state.PeerCertificates {
		fmt.Println("peer's certificate:", cert.Subject)
	}
	fmt.Println("SSL version is", tls.VersionName(state.Version))
	fmt.Println("SSL cipher suite is", tls.CipherSuiteName(state.CipherSuite))
	fmt.Println("SSL curve name is", state.CurveID)
}

// hear reads one message, which must be the expected one.
func hear(conn *tls.Conn, expected string) error {
	buffer := make([]byte, 1024)
	n, err := conn.Read(buffer)
	if err != nil {
		return err
	}
	heard := string(buffer[:n])
	fmt.Println(heard)
	if heard != expected {
		return fmt.Errorf("expected the message %q, found %q", expected, heard)
	}
	return nil
}
