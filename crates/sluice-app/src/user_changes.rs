//! Entries of the audit log for changes of users.

use sluice_store::{audit::TargetKind, identities::Identity, users::User};

use crate::audit::{Change, Target};

pub(crate) fn target(user: &User) -> Target {
    Target::new(TargetKind::User, &user.id, &user.username)
}

/// Adds the person at the provider.
pub(crate) fn of_person(change: Change, identity: &Identity) -> Change {
    change
        .with("issuer", identity.issuer.as_str())
        .with("subject", identity.subject.as_str())
}

/// Adds what differs, and the new values of those fields that give rights.
pub(crate) fn difference(mut change: Change, before: &User, user: &User) -> Change {
    let renamed = before.username != user.username;
    let (plan, operator) = (before.plan != user.plan, before.operator != user.operator);
    change.set_target(target(user));
    change.add_fields(&[
        ("username", renamed),
        ("email", before.email != user.email),
        ("plan", plan),
        ("operator", operator),
    ]);
    if renamed {
        change.add("previous_name", before.username.as_str());
    }
    if plan {
        change.add("plan", user.plan.as_str());
    }
    if operator {
        change.add("operator", user.operator);
    }
    change
}
