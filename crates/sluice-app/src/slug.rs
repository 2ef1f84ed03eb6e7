//! Slugs of sources and workflows.

use sluice_model::{UserId, slugify, unique_slug};
use sluice_store::{Conn, StoreError};

/// The slug of a name, with a number appended when the user already has that slug.
pub(crate) fn free_slug(
    c: &mut dyn Conn,
    user: &UserId,
    name: &str,
    is_taken: fn(&mut dyn Conn, &UserId, &str) -> Result<bool, StoreError>,
) -> Result<String, StoreError> {
    let mut failure = None;
    let slug = unique_slug(&slugify(name), |candidate| {
        match is_taken(c, user, candidate) {
            Ok(taken) => taken,
            Err(error) => {
                failure = Some(error);
                false
            }
        }
    });
    failure.map_or(Ok(slug), Err)
}
