//! The part of the table in `oaklath-params` that must not be written as a literal anywhere else.

use std::collections::BTreeMap;

use oaklath_params::{
    Oid, curve, group, kem, sig,
    stateful::{HSS_LMS_OID, XMSS_MT_OID, XMSS_OID, lms, xmss},
};

/// Numbers and object identifiers of the table, each with one of its rows.
#[derive(Default)]
pub(super) struct Table {
    /// Sizes in bytes. Powers of two and numbers below 100 are left out, which have too many other
    /// meanings (lane widths, the 24 rounds of Keccak, offsets, 80 columns of a terminal).
    pub(super) sizes: BTreeMap<u128, String>,
    /// TLS codepoints of groups and of their classical halves.
    pub(super) codepoints: BTreeMap<u128, String>,
    pub(super) oids: Vec<ObjectId>,
}

/// An object identifier in each form in which it could be written.
pub(super) struct ObjectId {
    pub(super) name: String,
    pub(super) dotted: String,
    pub(super) arcs: Vec<u128>,
    /// The contents octets of the DER encoding (X.690, 8.19).
    pub(super) der: Vec<u128>,
}

impl Table {
    /// Reads the rows of the crate `params`.
    pub(super) fn from_params() -> Self {
        let mut table = Self::default();
        for row in kem::ALL {
            let sizes = [row.public_key, row.secret_key, row.ciphertext, row.shared_secret];
            table.add_sizes(row.name, &sizes);
            table.add_oid(row.name, row.oid);
        }
        for row in sig::ALL {
            table.add_sizes(row.name, &[row.public_key, row.secret_key, row.signature]);
            if let Some(lengths) = &row.variable {
                let sizes = [lengths.padded, lengths.longest, lengths.constant_time];
                table.add_sizes(row.name, &sizes);
            }
        }
        for row in sig::IDENTITIES {
            table.add_codepoint(row.algorithm.name, row.codepoint);
            table.add_oid(row.algorithm.name, Some(row.oid));
        }
        for row in lms::ALL {
            table.add_sizes(row.name, &[row.public_key(), row.signature]);
        }
        for row in xmss::XMSS.iter().chain(xmss::XMSS_MT) {
            table.add_sizes(row.name, &[row.public_key(), row.signature]);
        }
        for (name, oid) in [("HSS", HSS_LMS_OID), ("XMSS", XMSS_OID), ("XMSS^MT", XMSS_MT_OID)] {
            table.add_oid(name, Some(oid));
        }
        for row in group::ALL {
            let sizes = [row.client_share(), row.server_share(), row.shared_secret()];
            table.add_sizes(row.name, &sizes);
            table.add_codepoint(row.name, row.codepoint);
        }
        for row in curve::ALL {
            table.add_sizes(row.name, &[row.public_key, row.shared_secret]);
            table.add_codepoint(row.name, row.codepoint);
        }
        table
    }

    fn add_sizes(&mut self, name: &str, sizes: &[usize]) {
        for size in sizes.iter().filter(|size| **size >= 100 && !size.is_power_of_two()) {
            self.sizes.entry(*size as u128).or_insert_with(|| name.to_owned());
        }
    }

    fn add_codepoint(&mut self, name: &str, codepoint: u16) {
        self.codepoints.entry(codepoint.into()).or_insert_with(|| name.to_owned());
    }

    fn add_oid(&mut self, name: &str, oid: Option<Oid>) {
        self.oids.extend(oid.map(|oid| ObjectId::new(name, oid.as_str())));
    }
}

impl ObjectId {
    /// Makes one from the dotted form.
    pub(super) fn new(name: &str, dotted: &str) -> Self {
        let arcs: Vec<u128> = dotted.split('.').filter_map(|arc| arc.parse().ok()).collect();
        let first = arcs[0] * 40 + arcs[1];
        let der = [first].iter().chain(&arcs[2..]).flat_map(|arc| base128(*arc)).collect();
        Self { name: name.to_owned(), dotted: dotted.to_owned(), arcs, der }
    }
}

/// Returns the digits to the base 128, the highest first, bit 8 set in all but the last.
fn base128(arc: u128) -> Vec<u128> {
    let mut digits = vec![arc & 0x7f];
    let mut rest = arc >> 7;
    while rest > 0 {
        digits.insert(0, 0x80 | (rest & 0x7f));
        rest >>= 7;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests the example of X.690, 8.19.5, {2 999 3}, and the arc 113549 of RSA in three digits.
    #[test]
    fn der() {
        assert_eq!(ObjectId::new("", "2.999.3").der, [0x88, 0x37, 0x03]);
        assert_eq!(ObjectId::new("", "1.2.840.113549").der, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d]);
    }

    #[test]
    fn the_table_is_read() {
        let table = Table::from_params();
        let kem = &kem::ML_KEM_768;
        assert!(table.sizes.contains_key(&(kem.ciphertext as u128)));
        assert!(!table.sizes.contains_key(&(kem.shared_secret as u128)));
        assert!(table.codepoints.contains_key(&group::X25519MLKEM768.codepoint.into()));
        assert!(
            table
                .oids
                .iter()
                .any(|oid| Some(oid.dotted.as_str()) == kem.oid.as_ref().map(Oid::as_str))
        );
    }
}
