//! Who users are for a provider of OpenID Connect.

use sluice_model::UserId;

use crate::{
    conn::{Conn, query_all, query_opt},
    error::Result,
    params,
    row::{FromRow, Row},
};

/// A person at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub issuer: String,
    pub subject: String,
}

/// A user with a certain mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addressee {
    pub id: UserId,
    pub operator: bool,
    /// The subject that the user is linked to already.
    pub subject: Option<String>,
}

impl FromRow for Addressee {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        Ok(Addressee {
            id: row.get(0)?,
            operator: row.get(1)?,
            subject: row.get(2)?,
        })
    }
}

/// The user that is linked to an identity.
pub fn user(c: &mut dyn Conn, identity: &Identity) -> Result<Option<UserId>> {
    query_opt(
        c,
        "SELECT id FROM users WHERE oidc_issuer = ?1 AND oidc_subject = ?2",
        params![&identity.issuer, &identity.subject],
    )
}

/// Users to whom an operator gave this mail address, in either case: at most two, as more make no difference. A user who gave
/// the address could be anyone, and would get the first sign-in of its owner.
pub fn with_email(c: &mut dyn Conn, email: &str) -> Result<Vec<Addressee>> {
    query_all(
        c,
        "SELECT id, operator, oidc_subject FROM users WHERE lower(email) = lower(?1) \
         AND NOT email_claimed ORDER BY id LIMIT 2",
        params![email],
    )
}

/// Links a user to an identity, unless the user is linked already. Conflicts on the identity. Returns whether it was linked.
pub fn link(c: &mut dyn Conn, user: &UserId, identity: &Identity) -> Result<bool> {
    let linked = c.execute(
        "UPDATE users SET oidc_issuer = ?2, oidc_subject = ?3 WHERE id = ?1 AND oidc_subject IS NULL",
        params![user, &identity.issuer, &identity.subject],
    )?;
    Ok(linked == 1)
}
