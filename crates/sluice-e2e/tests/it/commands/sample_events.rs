//! Running with the sample event of a component.

use serde_json::{Value, json};

use super::fixtures::{Cli, Folder};
use crate::support::Deployed;

const ECHO: &str = r#"export default {
  name: "Echo", version: "0.0.1", props: { http: "$.interface.http" },
  run(event) { this.$emit(event.body); },
};"#;
const TICK: &str = r#"export default {
  name: "Tick", version: "0.0.1", props: { timer: { type: "$.interface.timer", default: { intervalSeconds: 3600 } } },
  run() {},
};"#;
const SAMPLE: &str = "const total = 5;\nexport default { id: 'order-1', total };\n";

async fn deploy(cli: &Cli, folder: &Folder, file: &str) -> Deployed {
    let file = folder.join(file).display().to_string();
    let shown = cli.ok(&["deploy", &file, "--json"]).await;
    let source: Value = serde_json::from_str(&shown).expect("JSON");
    Deployed {
        id: source["id"].as_str().expect("an id").to_owned(),
        source,
        api: cli.api.clone(),
    }
}

#[tokio::test]
async fn sources_and_workflows_run_with_the_sample_of_a_component() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[("echo/echo.mjs", ECHO), ("echo/test-event.mjs", SAMPLE)]);
    let echo = deploy(&cli, &folder, "echo/echo.mjs").await;
    let sample = json!({ "id": "order-1", "total": 5 });
    let component = echo.source["component_id"].as_str().expect("an id");
    let path = format!("/components/{component}");
    assert_eq!(cli.api.get(&path).await.ok()["sample_event"], sample);
    // The sample is no event of a run, so its file is not read by the component.
    cli.ok(&["run", "echo", "--sample"]).await;
    assert_eq!(echo.events(1).await, std::slice::from_ref(&sample));

    let document = json!({
        "name": "Orders",
        "triggers": [{ "events": { "from": echo.id } }],
        "steps": [{ "name": "total", "code":
            "export default defineComponent({ run({ steps }) { return steps.trigger.event.total; } })" }],
    });
    let body = json!({ "document": document.to_string() });
    cli.api.post("/workflows", &body).await.ok();
    let run = cli
        .ok(&["workflows", "run", "orders", "--sample", "--wait", "--json"])
        .await;
    let run: Value = serde_json::from_str(&run).expect("JSON");
    assert_eq!(run["state"], "succeeded", "{run}");
    assert_eq!(run["steps"][0]["exports"]["$return_value"], 5, "{run}");
}

#[tokio::test]
async fn a_missing_sample_is_an_error_that_says_where_it_is_read_from() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[
        ("echo.mjs", ECHO),
        ("tick/tick.mjs", TICK),
        ("tick/test-event.json", "{}"),
    ]);
    deploy(&cli, &folder, "echo.mjs").await;
    deploy(&cli, &folder, "tick/tick.mjs").await;
    let ran = cli.run(&["run", "echo", "--sample"]).await;
    assert_eq!(ran.code, 1, "{ran:#?}");
    assert!(ran.err.contains("test-event.mjs"), "{ran:#?}");
    let ran = cli.run(&["run", "tick", "--sample"]).await;
    assert_eq!(ran.code, 1, "{ran:#?}");
    assert!(ran.err.contains("timer"), "{ran:#?}");
    let both = ["run", "echo", "--sample", "--event", "{}"];
    assert_eq!(cli.run(&both).await.code, 2);
}
