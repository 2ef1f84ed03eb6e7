//! Props in full: what they inherit, what forms ask about them, and what code sees of them.

mod additional_props;
mod apphook;
mod dynamic_sources;
mod inheritance;
mod labels;
mod options;
mod shape;
mod this;

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api};

use crate::support::Form;

/// CommonJS code of a component with a name, a version and `rest`.
fn component(rest: &str) -> String {
    Form::CommonJs.module("", rest)
}

/// Saves code that must load.
async fn save(api: &Api, code: &str) -> Value {
    let body = json!({ "component_code": code });
    api.post("/components", &body).await.ok()
}

/// Asks for the options of a prop; `more` joins the request.
async fn ask_options(api: &Api, id: &Value, prop: &str, more: Value) -> Answer {
    let body = with(json!({ "id": id, "prop_name": prop }), more);
    api.post("/components/configure", &body).await
}

/// Asks for the props that depend on values; `more` joins the request.
async fn ask_props(api: &Api, id: &Value, more: Value) -> Answer {
    let body = with(json!({ "id": id }), more);
    api.post("/components/props", &body).await
}

fn with(mut body: Value, more: Value) -> Value {
    if let (Value::Object(body), Value::Object(more)) = (&mut body, more) {
        body.extend(more);
    }
    body
}

/// The errors of an answer, read.
fn errors(answer: &Value) -> Vec<Value> {
    let errors = answer["errors"].as_array().expect("a list");
    errors
        .iter()
        .map(|text| serde_json::from_str(text.as_str().expect("a text")).expect("JSON"))
        .collect()
}
