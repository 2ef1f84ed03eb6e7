//! Whose rows a trace may have, and how far they are from the time of an id.

/// The emitters of the user ?1.
pub(super) const EMITTERS: &str = "(SELECT id FROM sources WHERE user_id = ?1 \
     UNION ALL SELECT id FROM workflows WHERE user_id = ?1)";

/// How far behind the time of an emit id the time of its event may be: a commit has one time for both.
pub(super) const COMMIT_MS: i64 = 1000;
