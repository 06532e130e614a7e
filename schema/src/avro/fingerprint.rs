//! Fingerprints of the parsing canonical form (Avro 1.12, "Schema Fingerprints").

use super::say::NotAvro;
use crate::model::Schema;
use md5::Digest;

/// CRC-64-AVRO of nothing.
const EMPTY: u64 = 0xc15d_213a_a4d7_a795;

const fn table() -> [u64; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut fp = i as u64;
        let mut bit = 0;
        while bit < 8 {
            fp = (fp >> 1) ^ (EMPTY & (fp & 1).wrapping_neg());
            bit += 1;
        }
        table[i] = fp;
        i += 1;
    }
    table
}

static TABLE: [u64; 256] = table();

/// CRC-64-AVRO (the 64-bit Rabin fingerprint).
pub(super) fn rabin(bytes: &[u8]) -> u64 {
    bytes.iter().fold(EMPTY, |fp, b| (fp >> 8) ^ TABLE[((fp ^ u64::from(*b)) & 0xff) as usize])
}

impl Schema {
    /// CRC-64-AVRO of the canonical form, as single-object encoding uses it.
    pub fn fingerprint_rabin(&self) -> Result<u64, NotAvro> {
        self.canonical_form().map(|c| rabin(c.as_bytes()))
    }

    /// MD5 of the canonical form.
    pub fn fingerprint_md5(&self) -> Result<[u8; 16], NotAvro> {
        self.canonical_form().map(|c| md5::Md5::digest(c.as_bytes()).into())
    }

    /// SHA-256 of the canonical form.
    pub fn fingerprint_sha256(&self) -> Result<[u8; 32], NotAvro> {
        self.canonical_form().map(|c| sha2::Sha256::digest(c.as_bytes()).into())
    }
}
