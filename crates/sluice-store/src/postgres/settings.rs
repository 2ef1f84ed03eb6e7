//! The settings of transactions. A session of our own keeps them. Behind a pooler each transaction begins with them.

use crate::job::Access;

/// An answered write must be on the server's disk, whatever its default is. No statement runs for so long that compiling it
/// would pay, which takes longer than the longest of them. The timeouts end transactions of a server that hangs or was cut
/// off, so that others can go on.
const ALL: [&str; 6] = [
    "synchronous_commit = on",
    "client_min_messages = warning",
    "jit = off",
    "statement_timeout = '2min'",
    "lock_timeout = '5s'",
    "idle_in_transaction_session_timeout = '10s'",
];

/// For commits. An inbox is empty now and full the next minute, so plans must not depend on its size: always by index, from
/// the given keys to the rows.
const COMMIT: [&str; 4] = [
    "enable_seqscan = off",
    "enable_hashjoin = off",
    "enable_mergejoin = off",
    "plan_cache_mode = force_generic_plan",
];

/// Of a session. Statements outside of a transaction are read-only: if `BEGIN` fails, those that were sent with it cannot be
/// committed one by one. A pooler has a connection of its own to the server, so these settings are not for it.
const SESSION: [&str; 5] = [
    "default_transaction_read_only = on",
    "tcp_keepalives_idle = 2",
    "tcp_keepalives_interval = 1",
    "tcp_keepalives_count = 3",
    "tcp_user_timeout = '5s'",
];

const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// The statements that prepare a session.
pub(super) fn of_session(access: Access) -> String {
    joined("SET", SESSION.iter().chain(of_transaction(access)))
}

/// The statement that begins a transaction in a session with settings.
pub(super) fn begin(access: Access) -> &'static str {
    match access {
        Access::Read => BEGIN_READ,
        Access::Write | Access::Commit | Access::Heartbeat => BEGIN_WRITE,
    }
}

/// The statements that begin a transaction in a session of a pooler.
pub(super) fn begin_pooled(access: Access) -> String {
    let settings = joined("SET LOCAL", of_transaction(access));
    format!("{}; {settings}", begin(access))
}

fn of_transaction(access: Access) -> impl Iterator<Item = &'static &'static str> {
    let more: &[&str] = match access {
        Access::Commit => &COMMIT,
        Access::Read | Access::Write | Access::Heartbeat => &[],
    };
    ALL.iter().chain(more)
}

fn joined<'s>(set: &str, settings: impl Iterator<Item = &'s &'s str>) -> String {
    let settings: Vec<String> = settings.map(|one| format!("{set} {one}")).collect();
    settings.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_behind_a_pooler_brings_its_settings() {
        let begin = begin_pooled(Access::Commit);
        assert!(begin.starts_with("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL "));
        assert!(begin.contains("; SET LOCAL plan_cache_mode = force_generic_plan"));
        assert!(!begin.contains("tcp_"), "{begin}");
        let read = begin_pooled(Access::Read);
        assert!(read.contains("READ ONLY; SET LOCAL synchronous_commit = on"));
        assert!(!read.contains("seqscan"), "{read}");
    }

    #[test]
    fn a_session_keeps_the_settings_of_its_transactions() {
        let session = of_session(Access::Commit);
        for setting in ALL.iter().chain(&COMMIT) {
            assert!(session.contains(&format!("SET {setting}")), "{session}");
        }
        assert!(!of_session(Access::Write).contains("enable_"));
    }
}
