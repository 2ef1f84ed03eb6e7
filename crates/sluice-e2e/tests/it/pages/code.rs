//! Checks the code and the data that pages show and that no command uses: components load, workflows deploy, JSON and JavaScript
//! have no error.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};
use sluice_testkit::Api;
use tokio::process::Command;

/// In the info of blocks that `scripts/docs-snippets` runs.
const RECEIVER: &str = "verify";
/// A step for a part of a document that needs one.
const STEP: &str = "steps:\n  - name: only\n    code: async () => 1\n";

/// Checks one block. `folder` has the files that the page has written.
pub(super) async fn check(
    info: &str,
    text: &str,
    folder: &Path,
    api: Option<&Api>,
) -> Result<(), String> {
    let mut words = info.split_whitespace();
    let language = words.next().unwrap_or_default();
    if words.next() == Some(RECEIVER) {
        return Ok(());
    }
    match (language, api) {
        ("json", _) if text.contains('…') => Ok(()),
        ("json", _) => parse_json(text),
        ("js" | "ts", Some(api)) if is_component(text) => load(api, language, text, folder).await,
        ("js", _) => parse(text, folder).await,
        ("yaml", Some(api)) => deploy(api, text).await,
        ("ts" | "yaml", _) => Err("nothing checks it: mark it".to_owned()),
        _ => Ok(()),
    }
}

fn parse_json(text: &str) -> Result<(), String> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let values: Result<Vec<_>, _> = values.collect();
    values.map(drop).map_err(|error| error.to_string())
}

fn is_component(code: &str) -> bool {
    code.contains("export default") && code.contains("version:")
}

/// Saves a component, which loads it.
async fn load(api: &Api, language: &str, code: &str, folder: &Path) -> Result<(), String> {
    let path = format!("page.{}", if language == "ts" { "ts" } else { "mjs" });
    let files = json!({ "path": path, "files": modules(folder) });
    let body = json!({ "component_code": code, "component_files": files });
    accepted(api, "/components", &body).await
}

fn modules(folder: &Path) -> Map<String, Value> {
    let files = fs::read_dir(folder).expect("the folder").flatten();
    let modules = files.map(|file| file.path()).filter(|path| {
        let extension = path.extension().unwrap_or_default();
        ["mjs", "ts"].iter().any(|known| extension == *known)
    });
    let entry = |path: std::path::PathBuf| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some((name, fs::read_to_string(path).ok()?.into()))
    };
    modules.filter_map(entry).collect()
}

async fn accepted(api: &Api, path: &str, body: &Value) -> Result<(), String> {
    let answer = api.post(path, body).await;
    match answer.status {
        200..300 => Ok(()),
        status => Err(format!("{path}: {status} {}", answer.text)),
    }
}

/// Deploys a document, or a part of one with what is missing.
async fn deploy(api: &Api, text: &str) -> Result<(), String> {
    let has = |field: &str| text.lines().any(|line| line.starts_with(field));
    let document = if has("name:") && has("steps:") {
        text.to_owned()
    } else if has("steps:") {
        format!("name: Part\n{text}")
    } else if has("settings:") {
        format!("name: Part\n{STEP}{text}")
    } else if has("props:") {
        let props = text.trim_end().replace('\n', "\n    ");
        format!("name: Part\n{STEP}    {props}\n")
    } else if text.lines().all(|line| line.starts_with('#')) {
        return Ok(());
    } else {
        return Err("it is no part of a workflow: mark it".to_owned());
    };
    accepted(api, "/workflows", &json!({ "document": document })).await
}

/// Parses JavaScript: a module, or statements of a function.
async fn parse(code: &str, folder: &Path) -> Result<(), String> {
    let file = folder.with_file_name("parsed.mjs");
    let mut error = String::new();
    for text in [
        code.to_owned(),
        format!("async function part() {{\n{code}\n}}\n"),
    ] {
        fs::write(&file, text).expect("a file");
        let output = Command::new("node").arg("--check").arg(&file).output();
        let output = output.await.expect("node");
        if output.status.success() {
            return Ok(());
        }
        error = String::from_utf8_lossy(&output.stderr).into_owned();
    }
    Err(error)
}
