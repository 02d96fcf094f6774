"""The client and the server of tlslite-ng, with the flags and the printouts of `oaklath client` and
`oaklath server`: one connection, TLS 1.3 and one group of key exchange, both sides with a certificate,
a message each way. tlslite-ng checks the signatures of the handshake, not the chains of certificates."""

import socket
import sys

from tlslite.api import (HandshakeSettings, TLSConnection, X509CertChain, parsePEMKey)
from tlslite.constants import CipherSuite, GroupName

CLIENT_SAYS = b"hello wolfssl!"
SERVER_SAYS = b"I hear you fa shizzle!"
# Longer than any handshake takes, in seconds; a peer that stalls longer is an error.
TIMEOUT = 10


def main(role, flags):
    with open(flags["-c"], encoding="ascii") as file:
        chain = X509CertChain()
        chain.parsePemList(file.read())
    with open(flags["-k"], encoding="ascii") as file:
        key = parsePEMKey(file.read(), private=True)
    group = GroupName.toRepr(int(flags["--pqc"]))
    address = (flags["-h"], int(flags["-p"]))
    {"client": client, "server": server}[role](address, chain, key, settings(group))


def settings(group):
    """Returns settings for TLS 1.3 with one group."""
    chosen = HandshakeSettings()
    chosen.minVersion = chosen.maxVersion = (3, 4)
    chosen.eccCurves = [group]
    chosen.dhGroups = []
    chosen.keyShares = [group]
    # A client would compress by its own algorithms, not the server's (RFC 8879, section 4).
    chosen.certificate_compression_send = []
    return chosen


def client(address, chain, key, chosen):
    with socket.create_connection(address, TIMEOUT) as sock:
        connection = TLSConnection(sock)
        connection.handshakeClientCert(chain, key, settings=chosen, serverName="localhost")
        tell(connection)
        connection.sendall(CLIENT_SAYS)
        hear(connection, SERVER_SAYS)
        connection.close()


def server(address, chain, key, chosen):
    with socket.create_server(address) as listener:
        host, port = listener.getsockname()
        print(f"listening on {host}:{port}", flush=True)
        listener.settimeout(TIMEOUT)
        sock, _ = listener.accept()
    sock.settimeout(TIMEOUT)
    connection = TLSConnection(sock)
    connection.handshakeServer(certChain=chain, privateKey=key, reqCert=True, settings=chosen)
    if connection.session.clientCertChain is None:
        raise ValueError("the client has shown no certificate")
    tell(connection)
    hear(connection, CLIENT_SAYS)
    connection.sendall(SERVER_SAYS)
    connection.close()


def tell(connection):
    """Prints what was negotiated."""
    suite = CipherSuite.ietfNames[connection.session.cipherSuite]
    print("SSL cipher suite is", suite)
    print("SSL curve name is", GroupName.toRepr(connection.ecdhCurve))


def hear(connection, expected):
    """Reads one message, which must be the expected one."""
    heard = bytes(connection.recv(1024))
    print(heard.decode("ascii", "replace"), flush=True)
    if heard != expected:
        raise ValueError(f"expected the message {expected}, found {heard}")


if __name__ == "__main__":
    try:
        main(sys.argv[1], dict(zip(sys.argv[2::2], sys.argv[3::2])))
    except Exception as error:  # of any kind: the other side waits for the connection to end
        print(f"error: {error!r}", file=sys.stderr)
        sys.exit(1)
