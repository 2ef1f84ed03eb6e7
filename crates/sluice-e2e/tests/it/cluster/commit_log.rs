//! A log of all changes of ownership and of all commits, written by a trigger in the database.

use std::collections::HashMap;

use super::observer::Observer;

/// The position orders the entries of one emitter: each is written while its row is locked.
const INSTALL: &str = "
CREATE TABLE test_commit_log (
  position BIGSERIAL PRIMARY KEY, emitter_id TEXT NOT NULL, owner TEXT, epoch BIGINT NOT NULL,
  commit_no BIGINT NOT NULL, session TEXT NOT NULL
);
CREATE FUNCTION test_log_commit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO test_commit_log (emitter_id, owner, epoch, commit_no, session)
  VALUES (NEW.emitter_id, NEW.owner, NEW.epoch, NEW.commit_no, current_setting('application_name'));
  RETURN NULL;
END $$;
CREATE TRIGGER test_log_commit AFTER UPDATE ON emitter_state
FOR EACH ROW EXECUTE FUNCTION test_log_commit();";

/// An emitter after a change.
#[derive(Debug, Clone)]
struct Entry {
    emitter: String,
    /// Empty without one.
    owner: String,
    epoch: i64,
    commit_no: i64,
    /// The name of the session that made the change, which contains the incarnation of its node.
    session: String,
}

/// What must not be in a log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Violations {
    /// Commits by a node that was not the owner, and changes of the owner that did not raise the epoch.
    pub(super) stale: usize,
    /// Commits whose number is not the next one.
    pub(super) out_of_sequence: usize,
}

pub(super) async fn install(observer: &Observer) {
    observer.rows(INSTALL).await;
}

pub(super) async fn check(observer: &Observer) -> Violations {
    let sql = "SELECT emitter_id, owner, epoch, commit_no, session FROM test_commit_log \
               ORDER BY position";
    let rows = observer.rows(sql).await;
    assert!(!rows.is_empty(), "nothing was committed");
    let number = |text: &str| text.parse().expect("a number");
    let entry = |row: &Vec<String>| Entry {
        emitter: row[0].clone(),
        owner: row[1].clone(),
        epoch: number(&row[2]),
        commit_no: number(&row[3]),
        session: row[4].clone(),
    };
    violations(rows.iter().map(entry))
}

fn violations(entries: impl Iterator<Item = Entry>) -> Violations {
    let mut last: HashMap<String, Entry> = HashMap::new();
    let mut violations = Violations::default();
    for entry in entries {
        if let Some(before) = last.get(&entry.emitter) {
            if is_stale(before, &entry) {
                violations.stale += 1;
            }
            if ![before.commit_no, before.commit_no + 1].contains(&entry.commit_no) {
                violations.out_of_sequence += 1;
            }
        }
        last.insert(entry.emitter.clone(), entry);
    }
    violations
}

fn is_stale(before: &Entry, entry: &Entry) -> bool {
    let is_commit = entry.commit_no != before.commit_no;
    let is_by_owner = !entry.owner.is_empty() && entry.session.contains(&entry.owner);
    let is_claim = !entry.owner.is_empty() && entry.owner != before.owner;
    entry.epoch < before.epoch
        || (is_claim && entry.epoch == before.epoch)
        || (is_commit && !is_by_owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(owner: &str, epoch: i64, commit_no: i64, session: &str) -> Entry {
        Entry {
            emitter: "e".to_owned(),
            owner: owner.to_owned(),
            epoch,
            commit_no,
            session: format!("sluice {session} 1"),
        }
    }

    #[test]
    fn claims_commits_and_releases_in_turn_are_right() {
        let entries = [
            entry("a", 1, 0, "a"),
            entry("a", 1, 1, "a"),
            entry("b", 2, 1, "b"),
            entry("b", 2, 2, "b"),
            entry("", 2, 2, "b"),
            entry("a", 3, 2, "a"),
            entry("a", 3, 3, "a"),
        ];
        assert_eq!(violations(entries.into_iter()), Violations::default());
    }

    #[test]
    fn commits_of_others_falling_epochs_and_claims_without_an_epoch_are_stale() {
        for wrong in [
            entry("a", 5, 8, "b"),
            entry("a", 4, 7, "a"),
            entry("b", 5, 7, "b"),
            entry("", 5, 8, "a"),
        ] {
            let entries = [entry("a", 5, 7, "a"), wrong.clone()];
            let found = violations(entries.into_iter());
            assert_eq!((found.stale, found.out_of_sequence), (1, 0), "{wrong:?}");
        }
    }

    #[test]
    fn gaps_and_repeats_of_numbers_are_out_of_sequence() {
        for wrong in [entry("a", 5, 9, "a"), entry("a", 5, 6, "a")] {
            let entries = [entry("a", 5, 7, "a"), wrong.clone()];
            let found = violations(entries.into_iter());
            assert_eq!((found.stale, found.out_of_sequence), (0, 1), "{wrong:?}");
        }
    }
}
