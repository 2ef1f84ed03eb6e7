//! The metrics as Prometheus reads them, with the alert rules and the dashboard in `packaging/monitoring`.

use std::{
    collections::BTreeSet,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use sluice_infra::{SendLabel, TaskLabel, testing::NOW};
use sluice_model::{IdGen, InvocationId, SourceId};
use sluice_store::inbox::{self, InboxKind, NewInboxItem};
use sluice_testkit::{Api, Method, skip_without};

use crate::{
    server::User,
    support::{EMITTER, deploy, new_user},
};

const OPEN_METRICS: &str =
    "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

async fn metrics(api: &Api) -> String {
    let answer = api.root(Method::GET, "/metrics").send().await;
    assert_eq!(answer.status, 200);
    let content_type = answer.header("content-type");
    assert_eq!(
        content_type,
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    answer.text
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/monitoring")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(folder().join(file)).unwrap()
}

/// Runs promtool in the folder of the rules; `None` when it is missing, which is a failure in continuous integration.
fn promtool(arguments: &[&str], input: &str) -> Option<Output> {
    let program = std::env::var_os("SLUICE_TEST_PROMTOOL").unwrap_or_else(|| "promtool".into());
    let spawned = Command::new(program)
        .args(arguments)
        .current_dir(folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = spawned else {
        assert!(std::env::var_os("SLUICE_TEST_PROMTOOL").is_none());
        skip_without("promtool, which scripts/with-promtool provides,");
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    Some(child.wait_with_output().unwrap())
}

/// A server on which requests of all kinds were made, and backlogs were read.
async fn used_server() -> User {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    source.send(&json!({ "x": 1 })).await.expect(200);
    source.events(1).await;
    api.get("/users/me").await.expect(200);
    let unknown = api.root(Method::GET, "/v1/no-such-route").send().await;
    assert_eq!(unknown.status, 404);
    let without_key = api.root(Method::POST, "/mcp").send().await;
    assert_eq!(without_key.status, 401);
    let infra = &api.server.infra;
    infra.metrics.set_build("1.2.3", "abc123", "2026-01-31");
    sluice_app::update_backlogs(infra).await;
    api
}

#[tokio::test]
async fn promtool_finds_nothing_to_complain_about_in_the_metrics() {
    let api = used_server().await;
    let text = metrics(&api).await;
    let Some(checked) = promtool(&["check", "metrics"], &text) else {
        return;
    };
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success(), "{said}{text}");
    assert_eq!(said, "");
}

#[test]
fn promtool_accepts_the_alert_rules_and_their_tests_pass() {
    for arguments in [
        ["check", "rules", "alerts.yml"],
        ["test", "rules", "alerts.test.yml"],
    ] {
        let Some(checked) = promtool(&arguments, "") else {
            return;
        };
        assert!(checked.status.success(), "{checked:?}");
    }
}

#[tokio::test]
async fn open_metrics_are_for_those_who_ask() {
    let api = used_server().await;
    let request = api.root(Method::GET, "/metrics");
    let answer = request.header("accept", OPEN_METRICS).send().await;
    let content_type = answer.header("content-type");
    assert_eq!(
        content_type,
        Some("application/openmetrics-text; version=1.0.0; charset=utf-8")
    );
    assert!(answer.text.ends_with("# EOF\n"), "{}", answer.text);
    let counter = "# TYPE sluice_events counter\n";
    assert!(answer.text.contains(counter), "{}", answer.text);
}

#[tokio::test]
async fn backlogs_disk_build_and_latencies_are_there() {
    let api = used_server().await;
    let text = metrics(&api).await;
    for start in [
        "sluice_backlog{queue=\"inbox\"} 0",
        "sluice_backlog{queue=\"deliveries\"} 0",
        "sluice_backlog_oldest_seconds{queue=\"timers\"} 0",
        "sluice_backlog_read_timestamp_seconds ",
        "sluice_webhooks_paused 0",
        "sluice_webhooks_failing 0",
        "sluice_database_size_bytes ",
        "sluice_disk_free_bytes ",
        "sluice_disk_size_bytes ",
        "sluice_build_info{version=\"1.2.3\",commit=\"abc123\",date=\"2026-01-31\"} 1",
        "sluice_api_request_seconds_count{method=\"GET\",route=\"/v1/users/me\",status=\"2xx\"} ",
        "sluice_api_request_seconds_count{method=\"GET\",route=\"other\",status=\"4xx\"} 1",
        "sluice_api_request_seconds_count{method=\"POST\",route=\"/mcp\",status=\"4xx\"} 1",
        "sluice_endpoint_request_seconds_count{status=\"2xx\"} 1",
    ] {
        assert!(
            text.lines().any(|line| line.starts_with(start)),
            "{start} {text}"
        );
    }
}

#[tokio::test]
async fn a_request_that_waits_is_in_the_backlog_with_its_age() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    let infra = &api.server.infra;
    let id = SourceId::parse(&source.id).unwrap();
    let accepted_at = infra.now_ms() - 90_000;
    let write = infra.store.write(move |c| {
        let item = NewInboxItem {
            id: &InvocationId::generate(&mut IdGen::new(1), NOW),
            kind: InboxKind::Http,
            prop: None,
            payload: "{}",
            accepted_at,
            depth: 0,
            reply_to: None,
            trace: None,
        };
        inbox::insert(c, &id.into(), &item)
    });
    write.await.unwrap();
    sluice_app::update_backlogs(infra).await;
    let text = metrics(&api).await;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse::<f64>().ok())
            .unwrap()
    };
    assert!((value("sluice_backlog{queue=\"inbox\"}") - 1.0).abs() < f64::EPSILON);
    assert!(value("sluice_backlog_oldest_seconds{queue=\"inbox\"}") >= 90.0);
}

/// Names of metrics in a text, without the suffixes of histograms.
fn names_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = words.filter(|word| word.starts_with("sluice_"));
    names
        .map(|name| {
            let mut suffixes = ["_bucket", "_sum", "_count"].into_iter();
            let base = suffixes.find_map(|suffix| name.strip_suffix(suffix));
            base.unwrap_or(name).to_owned()
        })
        .collect()
}

fn expressions(panels: &Value) -> String {
    let targets = panels.as_array().unwrap().iter();
    let targets = targets.filter_map(|panel| panel["targets"].as_array());
    let expressions = targets
        .flatten()
        .map(|target| target["expr"].as_str().unwrap());
    expressions.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn rules_and_dashboard_use_metrics_that_exist_and_the_page_describes_all() {
    let api = used_server().await;
    // A metric with labels is there from its first value on.
    let metrics_with_labels = &api.server.infra.metrics;
    let (kind, result) = ("http", "sent");
    let _ = metrics_with_labels
        .sends
        .get_or_create(&SendLabel { kind, result });
    let label = TaskLabel { worker: "test" };
    let _ = metrics_with_labels.worker_panics.get_or_create(&label);
    let text = metrics(&api).await;
    let families = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE "))
        .filter_map(|line| line.split(' ').next());
    let known: BTreeSet<String> = families.map(str::to_owned).collect();
    let rules = names_in(&read("alerts.yml"));
    let dashboard: Value = serde_json::from_str(&read("dashboard.json")).unwrap();
    let shown = names_in(&expressions(&dashboard["panels"]));
    let unknown: Vec<_> = rules
        .union(&shown)
        .filter(|name| !known.contains(*name))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?} {known:?}");
    let hidden: Vec<_> = rules.difference(&shown).collect();
    assert!(hidden.is_empty(), "alerts without a panel: {hidden:?}");
    let page = read("../../docs/operate/monitoring.md");
    let described = names_in(&page);
    let missing: Vec<_> = known.difference(&described).collect();
    assert!(missing.is_empty(), "not in monitoring.md: {missing:?}");
}
