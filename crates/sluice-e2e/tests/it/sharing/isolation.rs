//! Which sources share a process.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Plan, Server};

use super::{Shared, ok, shareable, starts};
use crate::support::{deploy, own_server, unique_name};

#[rstest]
#[case::default(&[], (1, 4))]
#[case::process(&["--isolation", "process"], (5, 0))]
#[case::account(&["--isolation", "account"], (1, 4))]
#[tokio::test]
async fn sources_with_the_same_code_share_a_process(
    #[case] flags: &[&str],
    #[case] expected: (u64, u64),
) {
    let code = shareable("", "this.$emit(event.body);");
    let shared = Shared::start(&code, 5, flags).await;
    shared.send_all(&ok()).await;
    assert_eq!(starts(&shared.server).await, expected);
    assert_eq!(shared.metric("processes").await, expected.0);
}

#[rstest]
#[case::default("component", (2, 0))]
#[case::account("account", (1, 1))]
#[tokio::test]
async fn different_components_share_a_process_only_in_one_mode(
    #[case] mode: &str,
    #[case] expected: (u64, u64),
) {
    let code = shareable("", "this.$emit(event.body);");
    let shared = Shared::start(&code, 1, &["--isolation", mode]).await;
    shared.send_all(&ok()).await;
    let other = shareable("", "this.$emit([event.body]);");
    let other = deploy(&shared.server.api(), &other).await;
    other.send(&ok()).await.expect(200);
    assert_eq!(other.events(1).await, [json!(["ok"])]);
    assert_eq!(starts(&shared.server).await, expected);
}

#[rstest]
#[tokio::test]
async fn accounts_never_share_a_process(#[values("component", "account")] mode: &str) {
    let server = Server::start(own_server().arg("--isolation").arg(mode)).await;
    let code = shareable("", "this.$emit(event.body);");
    for _ in 0..2 {
        let user = server.user(&unique_name(), Plan::Free).await;
        let source = deploy(&user, &code).await;
        source.send(&ok()).await.expect(200);
        source.events(1).await;
    }
    assert_eq!(starts(&server).await, (2, 0));
}

/// Files, globals, prototypes and packages belong to a process.
#[rstest]
#[tokio::test]
async fn code_that_uses_what_a_process_shares_has_its_own(
    #[values(
        "globalThis.count = 1;",
        "Array.prototype.last = 1;",
        "import fs from 'node:fs';",
        "import { join } from 'path'; join('a');",
        "process.env.A;",
        "Deno.pid;"
    )]
    before: &str,
) {
    let code = shareable(before, "this.$emit(event.body);");
    let shared = Shared::start(&code, 2, &["--isolation", "account"]).await;
    shared.send_all(&ok()).await;
    assert_eq!(starts(&shared.server).await, (2, 0));
}

#[tokio::test]
async fn a_rush_of_cold_sources_starts_one_process() {
    let code = shareable("", "this.$emit(event.body);");
    let shared = Shared::start(&code, 40, &[]).await;
    let sends = shared.sources.iter().map(|source| {
        let source = source.clone();
        tokio::spawn(async move { source.send(&ok()).await.expect(200) })
    });
    for send in sends.collect::<Vec<_>>() {
        send.await.expect("it is sent");
    }
    for source in &shared.sources {
        assert_eq!(source.events(1).await, [ok()]);
    }
    assert_eq!(starts(&shared.server).await, (1, 39));
}
