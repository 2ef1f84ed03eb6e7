//! What a source remembers when the server is killed and started again.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Postgres, Server};

use super::component;
use crate::support::{Deployed, deploy, own_server};

#[rstest]
#[tokio::test]
async fn dedupe_state_and_db_survive_the_death_of_the_server(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let options = match backend {
        Backend::Sqlite => own_server(),
        Backend::Postgres => own_server().postgres(&Postgres::database()),
    };
    let mut server = Server::start(options).await;
    let mut sources = Vec::new();
    for strategy in ["unique", "greatest", "last"] {
        let code = component(&format!(
            "dedupe: '{strategy}', props: {{ db: '$.service.db' }}, run(event) {{
                const runs = (this.db.get('runs') ?? 0) + 1; this.db.set('runs', runs);
                for (const id of event) this.$emit([runs, id], {{ id }}); }}"
        ));
        let source = deploy(&server.api(), &code).await;
        source.run(json!([1, 2, 3])).await;
        source.events(3).await;
        sources.push((strategy, source));
    }
    server.restart().await;
    for (strategy, source) in sources {
        let source = Deployed {
            api: server.api(),
            ..source
        };
        source.run(json!([2, 3, 4])).await;
        let events = source.events(4).await;
        assert_eq!(events[3], json!([2, 4]), "{strategy}: {events:?}");
    }
}

#[tokio::test]
async fn a_restarted_server_runs_the_same_code_at_the_same_endpoint() {
    let mut server = Server::start(own_server()).await;
    let code = component(
        "props: { http: '$.interface.http', label: 'string' }, run(event) { this.$emit([this.label, this.http.endpoint, event.body]); }",
    );
    let body = json!({ "component_code": code, "configured_props": { "label": "kept" } });
    let source = server.api().post("/sources", &body).await.ok();
    let deployed = Deployed {
        api: server.api(),
        id: source["id"].as_str().expect("an id").to_owned(),
        source,
    };
    server.restart().await;
    let deployed = Deployed {
        api: server.api(),
        ..deployed
    };
    deployed.send(&json!("after")).await.expect(200);
    let expected: Value = json!(["kept", deployed.endpoint(), "after"]);
    assert_eq!(deployed.events(1).await, [expected]);
}
