//! Accounts that take as much as they get. Others do not wait for them.

use serde_json::{Value, json};
use sluice_testkit::{Api, Method, Plan, Server, ServerOptions, wait_for};
use tokio::{net::TcpListener, task::JoinSet};

use crate::{
    sandbox::manual,
    support::{Deployed, PATIENCE, deploy, deploy_with, own_server, unique_name},
};

/// One value of `/metrics`.
async fn metric(server: &Server, name: &str) -> u64 {
    let request = server.api().root(Method::GET, "/metrics");
    let text = request.send().await.text;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let value = line.and_then(|rest| rest.trim().parse().ok());
    value.unwrap_or(0)
}

/// As many sources of one component.
async fn deploy_many(api: &Api, code: &str, count: usize) -> Vec<Deployed> {
    let first = deploy(api, code).await;
    let component = json!({ "component_id": first.source["component_id"] });
    let mut sources = vec![first];
    while sources.len() < count {
        let source = api.post("/sources", &component).await.ok();
        let id = source["id"].as_str().expect("an id").to_owned();
        let api = api.clone();
        sources.push(Deployed { api, id, source });
    }
    sources
}

async fn run_all(sources: &[Deployed], event: Value) {
    for source in sources {
        source.run(event.clone()).await;
    }
}

/// Processes are counted here, so sources share none.
fn one_process_each() -> ServerOptions {
    own_server().arg("--isolation").arg("process")
}

#[tokio::test]
async fn an_account_that_keeps_its_processes_busy_does_not_delay_another() {
    let args = ["--max-processes", "8", "--invocation-timeout", "10m"];
    let server = Server::start(one_process_each().args(args)).await;
    let greedy = server.user(&unique_name(), Plan::Free).await;
    let other = server.user(&unique_name(), Plan::Free).await;
    let waits = manual("if (event.wait) await new Promise((end) => setTimeout(end, 600000));");
    let sources = deploy_many(&greedy, &waits, 12).await;
    let quiet = deploy(&other, &manual("this.$emit('fine');")).await;
    run_all(&sources, json!({ "wait": true })).await;
    wait_for(
        PATIENCE,
        "the account to have all it may have",
        async || {
            let held = metric(&server, "sluice_permits_held{kind=\"process\"}").await;
            let waiting = metric(&server, "sluice_permits_waiting{kind=\"process\"}").await;
            (held == 6 && waiting == 6).then_some(())
        },
    )
    .await;
    quiet.run(json!({})).await;
    assert_eq!(quiet.events(1).await, ["fine"]);
    // The six that wait are not counted yet.
    let started = metric(&server, "sluice_process_wait_seconds_count").await;
    let in_time = metric(&server, "sluice_process_wait_seconds_bucket{le=\"0.2\"}").await;
    assert_eq!((started, in_time), (7, 7));
    let most = metric(&server, "sluice_permits_account_max{kind=\"process\"}").await;
    assert_eq!(most, 6);
    wait_for(PATIENCE, "the operator to be told", async || {
        let logs = server.logs();
        logs.contains("--max-processes-per-account").then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_author_is_told_of_a_process_that_waited_for_the_quota() {
    let args = ["--max-processes-per-account", "1"];
    let server = Server::start(one_process_each().args(args)).await;
    let api = server.user(&unique_name(), Plan::Free).await;
    let busy = deploy(
        &api,
        &manual("await new Promise((end) => setTimeout(end, 4000));"),
    )
    .await;
    let late = deploy(&api, &manual("this.$emit('late');")).await;
    busy.run(json!({})).await;
    wait_for(PATIENCE, "the process to be busy", async || {
        let held = metric(&server, "sluice_permits_held{kind=\"process\"}").await;
        (held == 1).then_some(())
    })
    .await;
    late.run(json!({})).await;
    assert_eq!(late.events(1).await, ["late"]);
    wait_for(PATIENCE, "the log line", async || {
        let logs = late.api.get(&late.path("/logs")).await.ok();
        let told = logs.to_string();
        told.contains("--max-processes-per-account").then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_account_that_fills_its_memory_gets_no_further_process() {
    let args = [
        "--max-memory-per-account",
        "150MiB",
        "--invocation-timeout",
        "10m",
    ];
    let server = Server::start(one_process_each().args(args)).await;
    let greedy = server.user(&unique_name(), Plan::Free).await;
    let other = server.user(&unique_name(), Plan::Free).await;
    let fills = "const full = Buffer.alloc(200e6, 1);
        await new Promise((end) => setTimeout(end, 600000, full));";
    let full = deploy(&greedy, &manual(fills)).await;
    let next = deploy(&greedy, &manual("this.$emit('next');")).await;
    let quiet = deploy(&other, &manual("this.$emit('fine');")).await;
    full.run(json!({})).await;
    wait_for(PATIENCE, "the memory to be measured", async || {
        let most = metric(&server, "sluice_account_memory_max_bytes").await;
        (most > 150 * 1024 * 1024).then_some(())
    })
    .await;
    next.run(json!({})).await;
    quiet.run(json!({})).await;
    assert_eq!(quiet.events(1).await, ["fine"]);
    wait_for(PATIENCE, "the operator to be told", async || {
        let logs = server.logs();
        logs.contains("--max-memory-per-account").then_some(())
    })
    .await;
    assert!(next.summaries().await.is_empty());
    let waiting = metric(&server, "sluice_permits_waiting{kind=\"process\"}").await;
    assert_eq!(waiting, 1);
    greedy.delete(&full.path("?ignore_hook_errors=true")).await;
    assert_eq!(next.events(1).await, ["next"]);
}

/// The scheduling policies and nice values of the processes that the server started, in order. The policy 5 is the idle one.
fn priorities(server: &Server) -> Vec<(i64, i64)> {
    let entries = std::fs::read_dir("/proc").expect("a /proc").flatten();
    let stats = entries
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter_map(|stat| {
            // The name of the program is in brackets. The fields after it count from 3.
            let fields: Vec<i64> = stat
                .rsplit_once(')')?
                .1
                .split_whitespace()
                .skip(1)
                .map(|field| field.parse().unwrap_or_default())
                .collect();
            let is_child = fields.first() == Some(&i64::from(server.pid()));
            is_child.then(|| (fields[41 - 4], fields[19 - 4]))
        });
    let mut values: Vec<(i64, i64)> = stats.collect();
    values.sort_unstable();
    values
}

#[tokio::test]
async fn processes_of_an_account_that_takes_the_cpu_give_way() {
    let args = ["--invocation-timeout", "10m", "--control-group", "off"];
    let server = Server::start(one_process_each().args(args)).await;
    let greedy = server.user(&unique_name(), Plan::Free).await;
    let other = server.user(&unique_name(), Plan::Free).await;
    let quiet = deploy(&other, &manual("this.$emit('fine');")).await;
    let sources = deploy_many(&greedy, &manual("for (;;);"), 16).await;
    quiet.run(json!({})).await;
    assert_eq!(quiet.events(1).await, ["fine"]);
    run_all(&sources, json!({})).await;
    wait_for(PATIENCE, "sixteen processes to give way", async || {
        quiet.run(json!({})).await;
        let found = priorities(&server);
        let behind = found.iter().filter(|value| **value > found[0]).count();
        (found.len() == 17 && behind == 16).then_some(())
    })
    .await;
    // On a machine with few cores they want more than it has.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores <= 4 {
        wait_for(PATIENCE, "them to be idle", async || {
            let found = priorities(&server);
            let idle = found.iter().filter(|(policy, _)| *policy == 5).count();
            (idle == 16 && found[0].0 == 0).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn an_account_whose_installs_hang_leaves_one_to_others() {
    // Accepts connections and never answers.
    let registry = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", registry.local_addr().expect("an address"));
    let server = Server::start(own_server().env("NPM_CONFIG_REGISTRY", url)).await;
    let greedy = server.user(&unique_name(), Plan::Free).await;
    let other = server.user(&unique_name(), Plan::Free).await;
    let mut clients = JoinSet::new();
    let mut install = |api: &Api, number: usize| {
        let code = manual(&format!("require('package-{number}');"));
        let (api, body) = (api.clone(), json!({ "component_code": code }));
        clients.spawn(async move { api.post("/sources", &body).await.ok() });
    };
    for number in 0..5 {
        install(&greedy, number);
    }
    let installs = async |held, waiting| {
        wait_for(PATIENCE, "installs", async || {
            let now_held = metric(&server, "sluice_permits_held{kind=\"install\"}").await;
            let now_waiting = metric(&server, "sluice_permits_waiting{kind=\"install\"}").await;
            (now_held == held && now_waiting == waiting).then_some(())
        })
        .await;
    };
    installs(3, 2).await;
    install(&other, 5);
    installs(4, 2).await;
}

#[tokio::test]
async fn an_account_that_fills_its_disk_space_can_store_no_more_and_keeps_its_newest_events() {
    let args = ["--max-disk-per-account", "1MiB"];
    let server = Server::start(one_process_each().args(args)).await;
    let greedy = server.user(&unique_name(), Plan::Free).await;
    let other = server.user(&unique_name(), Plan::Free).await;
    let code = "module.exports = { name: 'Test', version: '0.0.1', props: { store: 'data_store' },
        async run(event) {
            if (event.emit) return this.$emit({ n: event.emit, text: 'x'.repeat(100000) });
            try { await this.store.set(event.key, 'x'.repeat(event.size)); this.$emit('stored'); }
            catch (error) { this.$emit(error.message); }
        } };";
    let props = json!({ "store": "notes" });
    let source = deploy_with(&greedy, code, props.clone()).await;
    let quiet = deploy_with(&other, code, props).await;
    for n in 1..=20 {
        source.run(json!({ "emit": n })).await;
    }
    wait_for(PATIENCE, "two megabytes of events", async || {
        let stored = metric(&server, "sluice_events_total").await;
        (stored == 20).then_some(())
    })
    .await;
    source.run(json!({ "emit": 21 })).await;
    wait_for(PATIENCE, "old events to be deleted", async || {
        let kept = source.summaries().await;
        let newest = kept.first()?["event"]["n"].as_u64()?;
        (newest == 21 && (4..=11).contains(&kept.len())).then_some(())
    })
    .await;
    let is_refused = |events: &[Value]| {
        let told = |event: &Value| event.to_string().contains("--max-disk-per-account");
        events.iter().any(|summary| told(&summary["event"]))
    };
    let mut key = 0;
    wait_for(PATIENCE, "the disk space to be used", async || {
        key += 1;
        source
            .run(json!({ "key": format!("k{key}"), "size": 100_000 }))
            .await;
        is_refused(&source.summaries().await).then_some(())
    })
    .await;
    let saved = json!({ "component_code": manual("") });
    let refused = greedy.post("/sources", &saved).await.expect(429);
    assert!(
        refused.to_string().contains("--max-disk-per-account"),
        "{refused}"
    );
    assert_eq!(metric(&server, "sluice_disk_full_accounts").await, 1);
    quiet.run(json!({ "key": "k", "size": 10 })).await;
    assert_eq!(quiet.events(1).await, ["stored"]);
    greedy.delete("/data_stores/notes").await;
    wait_for(PATIENCE, "space again", async || {
        let answer = greedy.post("/sources", &saved).await;
        (answer.status == 200).then_some(())
    })
    .await;
}
