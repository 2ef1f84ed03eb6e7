//! Clients that are generated from `docs/openapi.json` work with the real server.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use sluice_testkit::{Backend, skip_without};
use tokio::process::Command;

use crate::support::{new_user, shared_server};

/// The Python of an environment with openapi-python-client. `make test` makes one. Without it the test is skipped, except in continuous integration.
const PYTHON: &str = "SLUICE_TEST_OPENAPI_PYTHON";
/// A program that waits for nothing would not end at all.
const PATIENCE: Duration = Duration::from_mins(2);

const PYTHON_CLIENT: &str = include_str!("clients/client.py");
const PYTHON_SETTINGS: &str = include_str!("clients/python-client.yaml");
const TYPESCRIPT_CLIENT: &str = include_str!("clients/client.ts");
const TYPESCRIPT_SETTINGS: &str = include_str!("clients/tsconfig.json");

#[tokio::test]
async fn a_client_in_python_works() {
    let Some(python) = env::var_os(PYTHON).filter(|path| Path::new(path).exists()) else {
        return skip_without("an environment with openapi-python-client");
    };
    let folder = sluice_testkit::scratch_folder();
    let (settings, program) = (
        folder.path().join("settings.yaml"),
        folder.path().join("client.py"),
    );
    fs::write(&settings, PYTHON_SETTINGS).expect("the settings");
    fs::write(&program, PYTHON_CLIENT).expect("the program");
    let mut generate = Command::new(&python);
    generate
        .args([
            "-m",
            "openapi_python_client",
            "generate",
            "--meta",
            "none",
            "--fail-on-warning",
        ])
        .arg("--path")
        .arg(repository("docs/openapi.json"))
        .arg("--output-path")
        .arg(folder.path().join("sluice_client"))
        .arg("--config")
        .arg(&settings);
    run(&mut generate).await;
    let mut client = Command::new(&python);
    client.arg(&program).args(server_and_key().await);
    run(client.env("PYTHONPATH", folder.path())).await;
}

#[tokio::test]
async fn a_client_in_typescript_works() {
    let tools = repository("ui/node_modules");
    if !tools.join(".bin/openapi-typescript").exists() {
        return skip_without("node_modules of the console");
    }
    let folder = sluice_testkit::scratch_folder();
    let file = |name| folder.path().join(name);
    fs::write(file("client.ts"), TYPESCRIPT_CLIENT).expect("the program");
    fs::write(file("tsconfig.json"), TYPESCRIPT_SETTINGS).expect("the settings");
    fs::write(file("package.json"), r#"{ "type": "module" }"#).expect("the package");
    std::os::unix::fs::symlink(&tools, file("node_modules")).expect("a link");
    let mut generate = Command::new(tools.join(".bin/openapi-typescript"));
    generate
        .arg(repository("docs/openapi.json"))
        .arg("--default-non-nullable=false")
        .arg("--output")
        .arg(file("schema.d.ts"));
    run(&mut generate).await;
    run(Command::new(tools.join(".bin/tsc"))
        .arg("--project")
        .arg(folder.path()))
    .await;
    let mut client = Command::new("node");
    run(client.arg(file("client.js")).args(server_and_key().await)).await;
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

async fn server_and_key() -> [String; 2] {
    let api = new_user().await;
    let server = shared_server(Backend::Sqlite);
    [server.url().to_owned(), api.key().to_owned()]
}

async fn run(command: &mut Command) {
    let ran = command.stdin(Stdio::null()).kill_on_drop(true).output();
    let ran = tokio::time::timeout(PATIENCE, ran).await.expect("it ends");
    let ran = ran.expect("it starts");
    let (output, errors) = (ran.stdout, ran.stderr);
    let (output, errors) = (
        String::from_utf8_lossy(&output),
        String::from_utf8_lossy(&errors),
    );
    assert!(ran.status.success(), "{command:?}:\n{output}\n{errors}");
}
