//! What tests of workflows share: deploying documents, running them, and waiting for what became of it.

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Method, Plan, ServerInfo, shared, wait_for};

use crate::support::{PATIENCE, own_server, unique_name};

/// One step, which returns what triggered it.
pub(crate) const ECHO: &str = r"
name: Echo
triggers:
  - http: {}
steps:
  - name: echo
    code: |
      export default defineComponent({ async run({ steps }) { return steps.trigger.event } })
";

/// Three steps, of which the second fails while its event says so.
pub(crate) const FRAGILE: &str = r#"
name: Fragile
steps:
  - name: first
    code: |
      export default defineComponent({ async run({ $ }) { $.export("at", Date.now()); return "one" } })
  - name: second
    code: |
      export default defineComponent({
        async run({ steps }) {
          if (steps.trigger.event.fail) throw new Error("as asked");
          return `${steps.first.$return_value} two`;
        },
      })
  - name: third
    code: |
      export default defineComponent({ async run({ steps }) { return `${steps.second.$return_value} three` } })
"#;

/// A deployed workflow and the user who owns it.
pub(crate) struct Workflow {
    pub(crate) api: Api,
    pub(crate) id: String,
    /// As it was when it was deployed.
    pub(crate) shown: Value,
}

/// Deploys a document that must be sound.
pub(crate) async fn deploy(api: &Api, document: &str) -> Workflow {
    deploy_with(api, &json!({ "document": document })).await
}

/// A document whose steps have these names, and these bodies of `run({ steps, $ })`.
pub(crate) fn running(bodies: &[(&str, &str)]) -> Value {
    let codes: Vec<(&str, String)> = bodies
        .iter()
        .map(|(name, body)| (*name, component(body)))
        .collect();
    let steps = codes
        .iter()
        .map(|(name, code)| json!({ "name": name, "code": code }));
    json!({ "name": "Test", "triggers": [{ "http": {} }], "steps": steps.collect::<Vec<_>>() })
}

/// The code of a step with this body of `run({ steps, $ })`.
pub(crate) fn component(body: &str) -> String {
    format!("export default defineComponent({{ async run({{ steps, $ }}) {{ {body} }} }})")
}

/// Deploys a workflow of such steps.
pub(crate) async fn deploy_running(api: &Api, bodies: &[(&str, &str)]) -> Workflow {
    deploy(api, &running(bodies).to_string()).await
}

/// A server that may reach this machine.
pub(crate) fn open_server() -> &'static ServerInfo {
    shared("sends", || {
        own_server().args(["--allow-private-network", "--send-retries", "50ms"])
    })
}

/// A new user of this server.
pub(crate) async fn user_of_open_server() -> Api {
    open_server().user(&unique_name(), Plan::Free).await
}

/// Deploys with files, secrets or whatever else the body has.
pub(crate) async fn deploy_with(api: &Api, body: &Value) -> Workflow {
    let shown = api.post("/workflows", body).await.ok();
    Workflow {
        api: api.clone(),
        id: shown["id"].as_str().expect("an id").to_owned(),
        shown,
    }
}

/// The faults of a document, as `path: message` with the line in front.
pub(crate) async fn faults(api: &Api, document: &str) -> Vec<String> {
    faults_with(api, &json!({ "document": document })).await
}

pub(crate) async fn faults_with(api: &Api, body: &Value) -> Vec<String> {
    let refusal = api.post("/workflows", body).await.expect(422);
    assert_eq!(refusal["error"], "the document is invalid", "{refusal}");
    let faults = refusal["details"]["document"].as_array().expect("faults");
    let text = |fault: &Value| {
        let part = |name: &str| fault[name].as_str().expect("text").to_owned();
        format!("{}: {}: {}", fault["line"], part("path"), part("message"))
    };
    faults.iter().map(text).collect()
}

impl Workflow {
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/workflows/{}{rest}", self.id)
    }

    /// As it is now.
    pub(crate) async fn now(&self) -> Value {
        self.api.get(&self.path("")).await.ok()
    }

    /// Gives it another document.
    pub(crate) async fn redeploy(&self, document: &str) -> Value {
        self.change(&json!({ "document": document })).await
    }

    pub(crate) async fn change(&self, body: &Value) -> Value {
        self.api.put(&self.path(""), body).await.ok()
    }

    pub(crate) async fn endpoint(&self) -> String {
        let triggers = self.now().await["triggers"].clone();
        let triggers = triggers.as_array().expect("triggers");
        let http = triggers.iter().find(|trigger| trigger["type"] == "http");
        let url = http.map(|trigger| trigger["endpoint_url"].clone());
        url.and_then(|url| url.as_str().map(str::to_owned))
            .expect("an endpoint")
    }

    /// Posts JSON to its endpoint.
    pub(crate) async fn send(&self, body: &Value) -> Answer {
        let endpoint = self.endpoint().await;
        let request = self.api.absolute(Method::POST, &endpoint);
        request.json(body).send().await
    }

    /// Begins a run; gives its id.
    pub(crate) async fn run(&self, event: &Value) -> String {
        let begun = self
            .api
            .post(&self.path("/run"), &json!({ "event": event }))
            .await
            .ok();
        begun["id"].as_str().expect("an id").to_owned()
    }

    pub(crate) async fn run_of(&self, id: &str) -> Value {
        self.api.get(&self.path(&format!("/runs/{id}"))).await.ok()
    }

    /// Waits until a run is in a state, and gives it.
    pub(crate) async fn run_in(&self, id: &str, state: &str) -> Value {
        let what = format!("run {id} to be {state}");
        wait_for(PATIENCE, &what, async || {
            let run = self.run_of(id).await;
            (run["state"] == state).then_some(run)
        })
        .await
    }

    /// Waits until a run is over, however it ended. Polls the list, because a whole run can be many megabytes.
    pub(crate) async fn ended(&self, id: &str) -> Value {
        wait_for(PATIENCE, &format!("run {id} to end"), async || {
            let runs = self.runs("").await;
            let run = runs.iter().find(|run| run["id"] == id)?;
            run["finished_at_ms"].is_number().then_some(())
        })
        .await;
        self.run_of(id).await
    }

    pub(crate) async fn run_and_wait(&self, event: &Value) -> Value {
        let id = self.run(event).await;
        self.ended(&id).await
    }

    /// Runs as they are listed, newest first.
    pub(crate) async fn runs(&self, query: &str) -> Vec<Value> {
        let page = self
            .api
            .get(&self.path(&format!("/runs?limit=100&{query}")))
            .await
            .expect(200);
        page["data"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until `count` runs are over, and gives them, newest first.
    pub(crate) async fn ended_runs(&self, count: usize) -> Vec<Value> {
        wait_for(PATIENCE, &format!("{count} runs to end"), async || {
            let runs = self.runs("expand=run").await;
            let ended = |run: &&Value| run["finished_at_ms"].is_number();
            (runs.iter().filter(ended).count() >= count).then_some(runs)
        })
        .await
    }

    /// Waits until `count` events are there, and gives their data, oldest first.
    pub(crate) async fn emitted(&self, count: usize) -> Vec<Value> {
        self.summaries("/event_summaries", count).await
    }

    /// The same for errors.
    pub(crate) async fn errors(&self, count: usize) -> Vec<Value> {
        self.summaries("/$errors/event_summaries", count).await
    }

    async fn summaries(&self, list: &str, count: usize) -> Vec<Value> {
        let path = self.path(&format!("{list}?limit=100&expand=event"));
        let mut rows = wait_for(PATIENCE, &format!("{count} events"), async || {
            let page = self.api.get(&path).await.expect(200);
            let rows = page["data"].as_array().cloned().unwrap_or_default();
            (rows.len() >= count).then_some(rows)
        })
        .await;
        rows.reverse();
        rows.into_iter().map(|row| row["event"].clone()).collect()
    }
}

/// What a step returned in the last of its attempts.
pub(crate) fn returned<'a>(run: &'a Value, step: &str) -> &'a Value {
    &exports(run, step)["$return_value"]
}

/// What a step exported in the last of its attempts.
pub(crate) fn exports<'a>(run: &'a Value, step: &str) -> &'a Value {
    let steps = run["steps"].as_array().expect("steps");
    let mut steps = steps.iter().filter(|one| one["name"] == step);
    let last = steps.next_back().unwrap_or_else(|| panic!("{step}: {run}"));
    &last["exports"]
}
