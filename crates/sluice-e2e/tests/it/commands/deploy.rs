//! `sluice deploy` as scripts run it.

use serde_json::{Value, json};
use sluice_testkit::{
    Backend, Key, Server,
    receiver::{Answer, Receiver},
};

use super::fixtures::{Cli, Folder, component};
use crate::support::{own_server, shared_server, unique_name};

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

const HELLO: &str = "import { greet } from './lib/greet.mjs';
export default { name: 'Hello There', version: '0.0.1', props: { http: '$.interface.http', timer: { type: '$.interface.timer', default: { intervalSeconds: 900 } } }, run() { this.$emit(greet()); } };";

#[tokio::test]
async fn a_file_is_deployed_with_what_it_imports_and_its_addresses_are_told() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[
        ("hello.mjs", HELLO),
        ("lib/greet.mjs", "export const greet = () => 'hi';"),
    ]);
    let file = folder.join("hello.mjs");
    let ran = cli
        .run(&["deploy", file.to_str().unwrap(), "--name", "My Hello"])
        .await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    let source = cli.only_source().await;
    let id = source["id"].as_str().expect("an id");
    let endpoint = source["configured_props"]["http"]["endpoint_url"]
        .as_str()
        .expect("an endpoint");
    let url = shared_server(Backend::Sqlite).url();
    for line in [
        "Deployed my-hello\n".to_owned(),
        format!("id        {id}\n"),
        "name      My Hello\n".to_owned(),
        format!("endpoint  {endpoint}\n"),
        "timer     every 15m\n".to_owned(),
        format!("stream    {url}/v1/sources/{id}/sse\n"),
        format!(
            "curl -H 'content-type: application/json' -d '{{\"hello\": \"world\"}}' {endpoint}\n"
        ),
    ] {
        assert!(ran.out.contains(&line), "{line}\n{}", ran.out);
    }
    let both = format!("{}{}", ran.out, ran.err);
    assert!(!both.contains('\u{1b}'), "no colours in a pipe: {both:?}");
}

/// A component with a key of its own.
fn with_key() -> (String, String) {
    let key = format!("test-{}", unique_name());
    let code = component("Published", "").replace("version:", &format!("key: \"{key}\", version:"));
    (key, code)
}

/// Publishes to the whole server; gives the id.
async fn published_to_all(code: &str) -> Value {
    let body = json!({ "component_code": code });
    let operator = shared_server(Backend::Sqlite).api();
    operator.post("/components/registry", &body).await.ok()["id"].clone()
}

#[tokio::test]
async fn a_key_is_that_of_the_registry_or_of_what_the_account_published() {
    let cli = Cli::new().await;
    let (key, code) = with_key();
    let id = published_to_all(&code).await;
    let source = parsed(&cli.ok(&["deploy", &key, "--json"]).await);
    assert_eq!(source["component_id"], id);
    let own = code.replace(
        "props: {  }",
        "props: { mine: { type: 'string', label: 'Mine' } }",
    );
    let body = json!({ "component_code": own });
    let own = cli.api.post("/components/published", &body).await.ok();
    let source = parsed(
        &cli.ok(&["deploy", &key, "--json", "--prop", "mine=1"])
            .await,
    );
    assert_eq!(source["component_id"], own["id"]);
    let ran = cli.run(&["deploy", "nothing-like-that"]).await;
    assert_eq!(ran.code, 5);
    assert!(
        ran.err
            .contains("no component with this key in your account or the registry"),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn without_a_component_the_registry_is_searched_at_a_terminal() {
    let cli = Cli::new().await;
    let (key, code) = with_key();
    let id = published_to_all(&code).await;
    let mut terminal = cli.terminal(&["deploy", "--no-follow"]);
    terminal.wait_for_text("Search the registry for").await;
    terminal.type_line("nothing at all like this");
    terminal.wait_for_text("No match in the registry").await;
    terminal.type_line(&key);
    terminal.wait_for_text("Search again…").await;
    terminal.press(Key::Enter);
    assert_eq!(terminal.exit_code().await, 0);
    assert_eq!(cli.only_source().await["component_id"], id);
}

#[tokio::test]
async fn what_is_at_an_address_is_deployed_and_a_script_there_too() {
    let server = Server::start(own_server().arg("--allow-private-network")).await;
    let cli = Cli::of(server.api()).with_env("SLUICE_URL", server.url());
    let files = Receiver::start(|request| match request.path.as_str() {
        "/source.mjs" => Answer::status(200).body(component("From afar", "")),
        "/job.mjs" => Answer::status(200).body("export default () => {};"),
        _ => Answer::status(404),
    });
    let source = parsed(
        &cli.ok(&["deploy", &files.url("/source.mjs"), "--json"])
            .await,
    );
    assert_eq!(source["name_slug"], "from-afar");
    let job = files.url("/job.mjs");
    let timer = ["deploy", "--timer", "--frequency", "1h", "--json", "--run"];
    let source = parsed(&cli.ok(&[&timer[..], &[&job]].concat()).await);
    assert_eq!(source["name_slug"], "job");
    let gone = files.url("/gone.mjs");
    assert_eq!(cli.run(&["deploy", &gone]).await.code, 1);
    let ran = cli.run(&[&timer[..], &[&gone]].concat()).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains(&format!("cannot fetch {gone}")),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn props_are_given_by_flags_and_by_a_file() {
    let cli = Cli::new().await;
    let code = component(
        "Given",
        "text: 'string', count: 'integer', tags: 'string[]', map: 'object', timer: '$.interface.timer', long: 'string', flag: 'boolean'",
    );
    let folder = Folder::with(&[
        ("given.mjs", &code),
        (
            "props.yaml",
            "text: from the file\nmap:\n  a: 1\ntimer: 30m\nflag: true\n",
        ),
        ("long.txt", "two\nlines\n"),
    ]);
    let (file, props) = (folder.join("given.mjs"), folder.join("props.yaml"));
    let long = format!("long=@{}", folder.join("long.txt").display());
    let args = [
        "deploy",
        file.to_str().unwrap(),
        "--json",
        "--props",
        props.to_str().unwrap(),
        "--prop",
        "text=5",
        "--prop",
        "count=5",
        "--prop",
        "tags=a",
        "--prop",
        "tags=b",
        "--prop",
        &long,
    ];
    let source = parsed(&cli.ok(&args).await);
    assert_eq!(
        source["configured_props"],
        json!({
            "text": "5", "count": 5, "tags": ["a", "b"], "map": { "a": 1 }, "long": "two\nlines\n", "flag": true,
            "timer": { "cron": null, "interval_seconds": 1800 },
        })
    );
}

#[tokio::test]
async fn all_that_is_missing_is_told_at_once_with_its_flags() {
    let cli = Cli::new().await;
    let code = component(
        "Wanting",
        "one: { type: 'string', label: 'The first' }, two: { type: 'integer', options: [1, 2] }, three: { type: 'string', optional: true }, four: { type: 'string', default: 'x' }, timer: '$.interface.timer'",
    );
    let folder = Folder::with(&[("wanting.mjs", &code)]);
    let file = folder.join("wanting.mjs");
    for json in [&[][..], &["--json"]] {
        let ran = cli
            .run(&[&["deploy", file.to_str().unwrap()], json].concat())
            .await;
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        assert_eq!(
            ran.err,
            "sluice: required props have no value: set them with these flags, or with --props FILE:\n  \
             --prop one=<string>    The first\n  --prop two=<1|2>\n"
        );
    }
    let ran = cli
        .run(&[
            "deploy",
            file.to_str().unwrap(),
            "--prop",
            "one=1",
            "--prop",
            "two=3",
            "--prop",
            "five=5",
        ])
        .await;
    assert_eq!(ran.code, 1);
    for fault in [
        "two must be one of 1, 2",
        "five is not a prop of this component",
    ] {
        assert!(ran.err.contains(fault), "{}", ran.err);
    }
    assert_eq!(cli.api.get("/users/me/sources").await.ok(), json!([]));
}

#[tokio::test]
async fn what_is_no_source_is_told_apart_with_what_to_do() {
    let cli = Cli::new().await;
    let action = component("Act", "").replace("version:", "type: \"action\", version:");
    let folder = Folder::with(&[
        ("flow.yaml", "name: x\n"),
        ("act.mjs", &action),
        ("broken.mjs", "export default {\n  name: 'x',,\n};\n"),
        ("lost.mjs", "import './gone.mjs';\nexport default {};\n"),
        ("notes.txt", "text"),
    ]);
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    for (name, words) in [
        ("flow.yaml", "sluice workflows deploy"),
        ("act.mjs", "Act is an action"),
        ("broken.mjs", "SyntaxError"),
        ("lost.mjs", "gone.mjs"),
        ("notes.txt", "is not a code file"),
        ("absent.mjs", "absent.mjs"),
    ] {
        let ran = cli.run(&["deploy", &path(name)]).await;
        assert_eq!(ran.code, 1, "{name}: {ran:#?}");
        assert!(ran.err.contains(words), "{name}: {}", ran.err);
    }
    let ran = cli.run(&["deploy"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("no component given"), "{}", ran.err);
    assert_eq!(cli.api.get("/users/me/sources").await.ok(), json!([]));
}

#[tokio::test]
async fn an_inactive_source_is_deployed_and_left_alone() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[("quiet.mjs", &component("Quiet", "http: '$.interface.http'"))]);
    let file = folder.join("quiet.mjs");
    let out = cli
        .ok(&["deploy", file.to_str().unwrap(), "--inactive"])
        .await;
    assert!(out.contains("state     inactive\n"), "{out}");
    assert_eq!(cli.only_source().await["active"], false);
}

#[tokio::test]
async fn a_syntax_error_names_its_file_line_and_column() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[(
        "broken.mjs",
        "export default {\n  name: \"Broken\" version: 1,\n};\n",
    )]);
    let file = folder.join("broken.mjs").display().to_string();
    for args in [&["deploy", file.as_str()][..], &["publish", file.as_str()]] {
        let ran = cli.run(args).await;
        assert_eq!(ran.code, 1, "{ran:#?}");
        let place = format!("{file}:2:18: SyntaxError: ");
        assert!(ran.err.contains(&place), "{}", ran.err);
    }
}

#[tokio::test]
async fn a_package_with_a_prefix_is_an_error_that_says_how_to_write_it() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[(
        "a.mjs",
        "import axios from \"npm:axios\";\nexport default { name: \"A\", version: \"1\", run() { axios(); } };\n",
    )]);
    let file = folder.join("a.mjs").display().to_string();
    let ran = cli.run(&["deploy", &file]).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains(":1:19: ") && ran.err.contains("write \"axios\""),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn a_schedule_that_never_fires_is_rejected() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[("job.js", "console.log(1)")]);
    let file = folder.join("job.js").display().to_string();
    let args = ["deploy", "--timer", "--cron", "0 0 30 2 *", "--run", &file];
    let ran = cli.run(&args).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("never fires"), "{}", ran.err);
}
