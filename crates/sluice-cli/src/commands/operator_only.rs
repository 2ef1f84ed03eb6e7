//! The error for users who are not the operator. The server does not show them that a route exists.

use anyhow::anyhow;

use crate::client::ClientError;

/// `action` is what only the operator can do.
pub(super) fn operator_only(action: &'static str) -> impl Fn(ClientError) -> anyhow::Error {
    move |error| {
        if error.is_not_found() {
            anyhow!("only the operator can {action}, and this API key is not the operator's")
        } else {
            error.into()
        }
    }
}
