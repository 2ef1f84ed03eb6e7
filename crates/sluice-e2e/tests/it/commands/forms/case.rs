//! A component and the answers that a person gives to its form.

use std::{
    fmt, fs,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use sluice_testkit::Backend;

use super::super::fixtures::Cli;
use crate::support::shared_server;

pub(super) struct Case {
    component: PathBuf,
    answers: Value,
}

impl Case {
    /// Reads the answers beside the component.
    pub(super) fn read(component: PathBuf) -> Case {
        let answers = read(&component.with_extension("json"));
        Case { component, answers }
    }

    /// Registers the apps and connects the accounts that the person has already.
    pub(super) async fn prepare(&self, cli: &Cli) {
        let operator = shared_server(Backend::Sqlite).api();
        for app in list(&read(&self.component.with_file_name("apps.json"))) {
            let answer = operator.post("/apps", app).await;
            // Another case may have registered it.
            assert!([200, 201, 409].contains(&answer.status), "{}", answer.text);
        }
        for account in list(&self.answers["accounts"]) {
            cli.api.post("/accounts", account).await.ok();
        }
    }

    pub(super) fn command(&self) -> Vec<&str> {
        let file = self.component.to_str().expect("a path in UTF-8");
        let mut args = vec!["deploy", file, "--no-follow"];
        if self.answers["all"] == true {
            args.push("--prompt-all");
        }
        args
    }

    pub(super) fn steps(&self) -> &[Value] {
        list(&self.answers["steps"])
    }

    /// The values that the source should have.
    pub(super) fn values(&self) -> Value {
        let mut values = self.answers["values"].clone();
        for (name, value) in self.answers["terminal"].as_object().into_iter().flatten() {
            values[name] = value.clone();
        }
        values
    }

    /// Whether the form of the source is opened again.
    pub(super) fn is_reopened(&self) -> bool {
        self.answers["reopened"] == true
    }

    /// The event of a run, if it is checked.
    pub(super) fn emits(&self) -> Option<&Value> {
        self.answers.get("emits")
    }

    /// The values of a source. Accounts have their names, and endpoints have no address.
    pub(super) async fn readable(&self, cli: &Cli, source: &Value) -> Value {
        let accounts = cli.api.get("/accounts").await.ok();
        let name = |id: &Value| {
            let account = list(&accounts).iter().find(|account| account["id"] == *id);
            account.map_or(Value::Null, |account| account["name"].clone())
        };
        let values = source["configured_props"].as_object().expect("values");
        let readable = values.iter().map(|(prop, value)| {
            let value = match (value.get("authProvisionId"), value.get("endpoint_url")) {
                (Some(id), _) => json!({ "authProvisionId": name(id) }),
                (_, Some(_)) => json!({ "endpoint_url": "…" }),
                _ => value.clone(),
            };
            (prop.clone(), value)
        });
        readable.collect::<Map<_, _>>().into()
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.component.display().fmt(f)
    }
}

fn read(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
