//! How far emitters have come.

use rstest::rstest;
use sluice_model::{EmitterId, EventId};
use sluice_store::{
    logs::{self, NewLog},
    progress::{self, Progress},
    state::{self, NewState},
};

use crate::support::{Db, TestStore, claimed, source_id};

#[rstest]
fn the_last_event_and_the_last_line_are_read_together(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let (busy, quiet) = (source_id("a"), source_id("b"));
        let fence = claimed(c, &busy, "one")?;
        state::insert(c, &quiet)?;
        let last_event = Some(EventId { ms: 5, seq: 1 });
        let saved = NewState {
            last_event,
            ..NewState::default()
        };
        state::advance(c, &busy, &fence, 1, Some(saved))?;
        let line = NewLog {
            invocation: None,
            ts: 1,
            kind: "log",
            level: "info",
            message: "hello",
        };
        logs::insert(c, &busy, &line)?;
        let last_line = logs::insert(c, &busy, &line)?;

        let ids: Vec<EmitterId> = ["b", "a", "gone"]
            .map(|tail| source_id(tail).into())
            .to_vec();
        let mut found = progress::of_emitters(c, &ids)?;
        found.sort_by_key(|progress| progress.last_line);
        let expected = [
            Progress {
                emitter_id: quiet.into(),
                epoch: 0,
                last_event: None,
                last_line: 0,
            },
            Progress {
                emitter_id: busy.into(),
                epoch: fence.epoch,
                last_event,
                last_line,
            },
        ];
        assert_eq!(found, expected);
        Ok(())
    })
    .unwrap();
}
