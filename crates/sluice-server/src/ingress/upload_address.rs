//! The addresses of uploads, the files that come with a request.

use rand::{CryptoRng, RngExt, distr::Alphanumeric};

/// Long enough that an address cannot be guessed.
const ID_LENGTH: usize = 32;

/// Generates ids for uploads, and builds the addresses to fetch them from.
pub(super) trait UploadAddresses: Sync {
    /// An unguessable id of letters and digits.
    fn new_id(&self) -> String;
    fn url(&self, id: &str) -> String;
}

pub(super) fn new_id(rng: &mut impl CryptoRng) -> String {
    (0..ID_LENGTH)
        .map(|_| char::from(rng.sample(Alphanumeric)))
        .collect()
}

pub(super) fn url(public_url: &str, id: &str) -> String {
    format!("{public_url}/uploads/{id}")
}
