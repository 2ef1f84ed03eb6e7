//! The server is killed at random moments while it delivers to webhooks that fail, hang and recover: every committed
//! event reaches everybody who listens.

use std::time::Duration;

use rand::{RngExt, SeedableRng, rngs::StdRng};
use rstest::rstest;
use sluice_testkit::{Backend, test_seed};

use super::{
    delivery_audit::{Audit, audit},
    mailroom::Mailroom,
    rounds::rounds,
    traffic::Sent,
};

const DEFAULT_ROUNDS: u32 = 2;

#[rstest]
#[case::sqlite(Backend::Sqlite)]
#[case::postgres(Backend::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_committed_event_reaches_every_listener_however_often_the_server_is_killed(
    #[case] backend: Backend,
) {
    let seed = test_seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut room = Mailroom::open(backend, seed).await;
    let kills = rounds(DEFAULT_ROUNDS);
    for kill in 1..=kills {
        if kill == kills {
            room.recover();
        }
        tokio::time::sleep(moment(&mut rng)).await;
        room.kill_and_restart().await;
        if kill == 1 {
            // Again, while it is still busy with what the first left behind.
            tokio::time::sleep(soon(&mut rng)).await;
            room.kill_and_restart().await;
        }
    }
    let kills = kills as usize + 1;
    tokio::time::sleep(moment(&mut rng)).await;
    let sent = room.close().await;
    let audit = audited(&room, &sent);
    // A kill repeats only deliveries that are under way: a success is in the journal before the next one begins.
    assert!(
        audit.repeated <= kills * room.concurrency(),
        "too many came twice: {audit:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_delivered_twice_when_the_server_is_stopped_with_sigterm_under_load() {
    let seed = test_seed();
    let mut rng = StdRng::seed_from_u64(seed);
    let mut room = Mailroom::open(Backend::Sqlite, seed).await;
    for _ in 0..3 {
        tokio::time::sleep(soon(&mut rng)).await;
        room.terminate_and_restart().await;
    }
    let sent = room.close().await;
    let audit = audited(&room, &sent);
    assert_eq!(audit.repeated, 0, "{audit:?}");
}

/// Well into the load.
fn moment(rng: &mut StdRng) -> Duration {
    Duration::from_millis(rng.random_range(2_000..5_000))
}

/// From before the first process has started.
fn soon(rng: &mut StdRng) -> Duration {
    Duration::from_millis(rng.random_range(50..2_000))
}

/// What was delivered, on paper and checked to have met trouble.
fn audited(room: &Mailroom, sent: &[Sent]) -> Audit {
    let audit = audit(room, sent);
    eprintln!("{audit:?}");
    assert!(
        audit.attempts > audit.deliveries,
        "the webhooks hardly failed: {audit:?}"
    );
    audit
}
