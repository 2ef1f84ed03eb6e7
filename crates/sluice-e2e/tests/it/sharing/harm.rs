//! A source that blocks, crashes or fills its process: it is started alone, and the others lose nothing.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::wait_for;

use super::{Shared, ok, shareable};
use crate::{
    durability::processes::{children, kill},
    support::PATIENCE,
};

/// Waits for a second, or does harm.
const HARMFUL: &str = "
    if (event.body === 'loop') for (;;);
    if (event.body === 'fill') { const kept = []; for (;;) kept.push(new Array(1e6).fill(kept.length)); }
    if (event.body === 'wait') await new Promise((done) => setTimeout(done, 1000));
    this.$emit(event.body);";

#[rstest]
#[case::endless_loop("loop", "Timeout")]
#[case::full_heap("fill", "ProcessDied")]
#[tokio::test]
async fn others_run_again_and_are_not_charged(#[case] harm: &str, #[case] expected: &str) {
    let shared = Shared::start(&shareable("", HARMFUL), 3, &["--heap", "64MiB"]).await;
    shared.send_all(&ok()).await;
    assert_eq!(shared.metric("process_starts_total").await, 1);
    let [harmful, others @ ..] = shared.sources.as_slice() else {
        panic!("three sources");
    };
    for other in others {
        other.send(&json!("wait")).await.expect(200);
    }
    harmful.send(&json!(harm)).await.expect(200);
    for other in others {
        assert_eq!(other.events(2).await, [ok(), json!("wait")]);
        assert!(other.errors_so_far().await.is_empty());
    }
    let error = harmful.errors(1).await.remove(0);
    let code = error["error"]["code"].as_str().expect("a code");
    assert!([expected, "OutOfMemory"].contains(&code), "{error}");
    // Nothing is stored twice, and all go on.
    shared.send_all(&json!("after")).await;
    for other in others {
        let again = [ok(), json!("wait"), json!("after")];
        assert_eq!(other.events(3).await, again);
    }
}

#[tokio::test]
async fn a_killed_process_loses_no_event_of_its_sources() {
    let shared = Shared::start(&shareable("", HARMFUL), 5, &[]).await;
    shared.send_all(&ok()).await;
    for source in &shared.sources {
        source.send(&json!("wait")).await.expect(200);
    }
    let [process] = children(shared.server.pid())[..] else {
        panic!("one process");
    };
    kill(process);
    for source in &shared.sources {
        assert_eq!(source.events(2).await, [ok(), json!("wait")]);
        assert!(source.errors_so_far().await.is_empty());
    }
}

#[tokio::test]
async fn a_busy_source_moves_to_a_process_of_its_own() {
    const BUSY: &str = "
        const end = Date.now() + (event.body.ms ?? 0);
        while (Date.now() < end);
        this.$emit(event.body);";
    let shared = Shared::start(&shareable("", BUSY), 2, &[]).await;
    shared.send_all(&json!({})).await;
    assert_eq!(shared.metric("processes").await, 1);
    let busy = &shared.sources[0];
    wait_for(PATIENCE, "a process of its own", async || {
        busy.send(&json!({ "ms": 100 })).await.expect(200);
        (shared.metric("process_starts_total").await == 2).then_some(())
    })
    .await;
    let quiet = &shared.sources[1];
    quiet.send(&json!({ "n": 1 })).await.expect(200);
    assert_eq!(quiet.events(2).await, [json!({}), json!({ "n": 1 })]);
    assert_eq!(shared.metric("processes").await, 2);
    for source in &shared.sources {
        assert!(source.errors_so_far().await.is_empty());
    }
}

/// The leaking source ends up in a process of its own, in which it runs out of memory alone.
#[tokio::test]
async fn a_leaking_source_is_found_and_the_others_go_on() {
    const LEAKING: &str = "
        if (event.body.leak) kept.push(new Uint8Array(16e6).fill(1));
        this.$emit(event.body);";
    let code = shareable("const kept = [];", LEAKING);
    let shared = Shared::start(&code, 3, &["--max-memory", "192MiB"]).await;
    shared.send_all(&json!({})).await;
    assert_eq!(shared.metric("process_starts_total").await, 1);
    let [leaking, others @ ..] = shared.sources.as_slice() else {
        panic!("three sources");
    };
    let mut sent = 1;
    wait_for(PATIENCE, "the source to run out of memory", async || {
        leaking.send(&json!({ "leak": true })).await.expect(200);
        for other in others {
            other.send(&json!({})).await.expect(200);
        }
        sent += 1;
        (!leaking.errors_so_far().await.is_empty()).then_some(())
    })
    .await;
    for other in others {
        other.events(sent.min(100)).await;
        assert!(other.errors_so_far().await.is_empty());
    }
    let error = leaking.errors(1).await.remove(0);
    let code = error["error"]["code"].as_str().expect("a code");
    assert!(["ProcessDied", "OutOfMemory"].contains(&code), "{error}");
}
