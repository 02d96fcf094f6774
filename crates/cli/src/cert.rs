//! `oaklath cert`: certificates, requests, chains, and keys in other forms.

mod chains;
mod convert;
mod inspect;
mod issue;
mod shared;
mod verify;

commands! {
    /// A subcommand of `oaklath cert`.
    pub(crate) enum CertCommand {
        /// Make the certificate of a root, signed with its own key
        Root(issue::Root) => issue::root;
        /// Issue the certificate of an authority below another one
        Intermediate(issue::Intermediate) => issue::intermediate;
        /// Issue the certificate of a server, a client or the holder of a KEM key
        Issue(issue::Issue) => issue::issue;
        /// Make a request for a certificate (PKCS#10)
        Csr(issue::Csr) => issue::csr;
        /// Make the chains of wolfSSL's appendix, by the names of its files
        Chains(chains::Chains) => chains::run;
        /// Verify that a certificate leads to a root
        Verify(verify::CertVerifyArgs) => verify::run;
        /// Say what is in a file of certificates, requests or keys
        Inspect(inspect::InspectArgs) => inspect::run;
        /// Convert between PEM and DER, and between forms of private keys
        Convert(convert::ConvertArgs) => convert::run;
    }
}

/// The text below the help.
pub(crate) const EXAMPLE: &str = "\
A root, and a server's certificate under it:
  oaklath cert root --subject CN=Root --new-key ML-DSA-87 --key-out root.key \\
    --out root.pem
  oaklath cert issue --subject CN=door --san door.example --new-key ML-DSA-65 \\
    --key-out door.key --issuer root.pem --issuer-key root.key --out door.pem
  oaklath cert verify --ca root.pem --host door.example door.pem";
