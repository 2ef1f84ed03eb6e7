//! The health of an account, in words.

use sluice_api::Account;

use crate::commands::output::{BAD, CHANGED, FAINT, GOOD, styled};

/// The state of an account. One whose tokens cannot be renewed is marked.
pub(super) fn health(account: &Account) -> String {
    let state = match (account.dead, account.healthy) {
        (true, _) => styled(BAD, "must be reconnected"),
        (false, false) => styled(CHANGED, "failing"),
        (false, true) => styled(GOOD, "healthy"),
    };
    if account.renewable != Some(false) {
        return state;
    }
    let style = if account.expires_at.is_some() {
        CHANGED
    } else {
        FAINT
    };
    format!("{state}, {}", styled(style, "not renewable"))
}

/// The renewal of its tokens. `None` for an account without tokens.
pub(super) fn renewal(account: &Account) -> Option<&'static str> {
    match (account.renewable?, &account.expires_at) {
        (true, _) => Some("tokens are renewed before they expire"),
        (false, Some(_)) => Some("not renewable: connect the account again when its token expires"),
        (false, None) => Some("not renewable: the token is valid until it is revoked"),
    }
}
