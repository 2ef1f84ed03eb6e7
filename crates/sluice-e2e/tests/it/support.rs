//! What the tests share: servers, sources and waiting for what they did.

use std::time::Duration;

use serde_json::{Value, json};
use sluice_testkit::{
    Answer, Api, Backend, Method, Plan, ServerInfo, ServerOptions, shared, sluice_binary,
    unique_hex, wait_for,
};

pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Options for a server of a test's own, which starts processes only when they are needed.
pub(crate) fn own_server() -> ServerOptions {
    server_as_it_comes().without_warm_processes()
}

/// Options for a server of a test's own that is as users get it, with processes that wait for a component.
pub(crate) fn server_as_it_comes() -> ServerOptions {
    ServerOptions::new(sluice_binary())
}

/// The server that tests share on the given database. Each test creates its own user.
///
/// The server on PostgreSQL has a pool of pre-started processes, as by default, and all self-contained sources of a user share one.
/// The server on SQLite starts processes when they are needed, and only sources with the same code share one. So tests
/// that run on both cover both ways.
pub(crate) fn shared_server(backend: Backend) -> &'static ServerInfo {
    match backend {
        Backend::Sqlite => shared("sqlite", own_server),
        Backend::Postgres => shared("postgres", || {
            let options = server_as_it_comes().on(backend);
            options.arg("--isolation").arg("account")
        }),
    }
}

/// A new user of the server called `name`, which tests share.
pub(crate) async fn user_of_shared(name: &str, options: impl FnOnce() -> ServerOptions) -> Api {
    shared(name, options).user(&unique_name(), Plan::Free).await
}

/// A new user of the shared server on SQLite.
pub(crate) async fn new_user() -> Api {
    new_user_on(Backend::Sqlite).await
}

pub(crate) async fn new_user_on(backend: Backend) -> Api {
    shared_server(backend)
        .user(&unique_name(), Plan::Free)
        .await
}

pub(crate) fn unique_name() -> String {
    format!("user-{}", &unique_hex()[..16])
}

/// How a component is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    CommonJs,
    EsModule,
}

impl Form {
    /// A module with `before` and a component that has a name, a version and `rest`.
    pub(crate) fn module(self, before: &str, rest: &str) -> String {
        let export = match self {
            Form::CommonJs => "module.exports =",
            Form::EsModule => "export default",
        };
        format!("{before}\n{export} {{ name: \"Test\", version: \"0.0.1\", {rest} }};")
    }
}

/// A deployed source and the user who owns it.
#[derive(Clone)]
pub(crate) struct Deployed {
    pub(crate) api: Api,
    pub(crate) id: String,
    pub(crate) source: Value,
}

/// Deploys code that must load, without props.
#[track_caller]
pub(crate) fn deploy(api: &Api, code: &str) -> impl Future<Output = Deployed> {
    deploy_with(api, code, json!({}))
}

pub(crate) async fn deploy_with(api: &Api, code: &str, props: Value) -> Deployed {
    let body = json!({ "component_code": code, "configured_props": props });
    let source = api.post("/sources", &body).await.ok();
    let id = source["id"].as_str().expect("an id").to_owned();
    Deployed {
        api: api.clone(),
        id,
        source,
    }
}

impl Deployed {
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/sources/{}{rest}", self.id)
    }

    /// The address of its only HTTP interface, which is a prop named `http`.
    pub(crate) fn endpoint(&self) -> &str {
        self.source["configured_props"]["http"]["endpoint_url"]
            .as_str()
            .expect("an endpoint")
    }

    /// Posts JSON to the endpoint.
    pub(crate) async fn send(&self, body: &Value) -> Answer {
        self.api
            .absolute(Method::POST, self.endpoint())
            .json(body)
            .send()
            .await
    }

    pub(crate) async fn run(&self, event: Value) -> Value {
        self.api
            .post(&self.path("/run"), &json!({ "event": event }))
            .await
            .ok()
    }

    /// Event summaries as they stand, newest first, with their data whole.
    pub(crate) async fn summaries(&self) -> Vec<Value> {
        let page = self
            .api
            .get(&self.path("/event_summaries?limit=100&expand=event"))
            .await
            .expect(200);
        page["data"].as_array().cloned().unwrap_or_default()
    }

    /// Waits until `count` events are there and gives their data, oldest first.
    pub(crate) async fn events(&self, count: usize) -> Vec<Value> {
        let summaries = wait_for(PATIENCE, &format!("{count} events"), async || {
            let summaries = self.summaries().await;
            (summaries.len() >= count).then_some(summaries)
        })
        .await;
        assert_eq!(summaries.len(), count, "{summaries:#?}");
        summaries
            .into_iter()
            .rev()
            .map(|summary| summary["event"].clone())
            .collect()
    }

    /// Waits for errors in `$errors` and gives their data, oldest first.
    pub(crate) async fn errors(&self, count: usize) -> Vec<Value> {
        let mut errors = wait_for(PATIENCE, &format!("{count} errors"), async || {
            let errors = self.errors_so_far().await;
            (errors.len() >= count).then_some(errors)
        })
        .await;
        errors.reverse();
        errors
    }

    /// The data of the events in `$errors` as they stand, newest first.
    pub(crate) async fn errors_so_far(&self) -> Vec<Value> {
        let path = self.path("/event_summaries?limit=100&expand=event&event_name=$errors");
        let page = self.api.get(&path).await.expect(200);
        let rows = page["data"].as_array().cloned().unwrap_or_default();
        rows.into_iter().map(|row| row["event"].clone()).collect()
    }

    /// Log lines as they stand, oldest first.
    pub(crate) async fn logs(&self) -> Vec<Value> {
        let page = self
            .api
            .get(&self.path("/logs?limit=100"))
            .await
            .expect(200);
        let mut rows = page["data"].as_array().cloned().unwrap_or_default();
        rows.reverse();
        rows
    }

    /// Waits for a log line that contains `text`.
    pub(crate) async fn log_with(&self, text: &str) -> Value {
        wait_for(PATIENCE, &format!("a log line with {text:?}"), async || {
            let logs = self.logs().await;
            logs.into_iter()
                .find(|row| row["msg"].as_str().is_some_and(|msg| msg.contains(text)))
        })
        .await
    }
}
