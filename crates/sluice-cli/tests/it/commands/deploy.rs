//! `sluice deploy` as scripts run it.

use serde_json::{Value, json};
use sluice_testkit::Backend;

use super::fixtures::{Cli, Folder, component};
use crate::support::{shared_server, unique_name};

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
        format!("stream    {url}/sources/{id}/sse\n"),
        format!(
            "curl -H 'content-type: application/json' -d '{{\"hello\": \"world\"}}' {endpoint}\n"
        ),
    ] {
        assert!(ran.out.contains(&line), "{line}\n{}", ran.out);
    }
    let both = format!("{}{}", ran.out, ran.err);
    assert!(!both.contains('\u{1b}'), "no colours in a pipe: {both:?}");
}

#[tokio::test]
async fn a_key_and_an_address_are_deployed_as_they_are() {
    let cli = Cli::new().await;
    let key = format!("test-{}", unique_name());
    let code = component("Published", "").replace("version:", &format!("key: \"{key}\", version:"));
    let server = shared_server(Backend::Sqlite);
    let saved = server
        .api()
        .post("/components", &json!({ "component_code": code }))
        .await
        .ok();
    let publish = json!({ "component_id": saved["id"] });
    server
        .api()
        .post("/components/registry", &publish)
        .await
        .ok();
    let source = parsed(&cli.ok(&["deploy", &key, "--json"]).await);
    assert_eq!(source["component_id"], saved["id"]);
    let ran = cli.run(&["deploy", "nothing-like-that"]).await;
    assert_eq!(ran.code, 5);
    assert!(
        ran.err.contains("neither your account nor the registry"),
        "{}",
        ran.err
    );
    let ran = cli.run(&["deploy", "http://127.0.0.1:1/nobody.mjs"]).await;
    assert_eq!(
        ran.code, 1,
        "the server fetches it, or says why not: {}",
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
            "sluice: some props have no value; give them with these flags, or in a file with --props:\n  \
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
        ("notes.txt", "is no file of code"),
        ("absent.mjs", "absent.mjs"),
    ] {
        let ran = cli.run(&["deploy", &path(name)]).await;
        assert_eq!(ran.code, 1, "{name}: {ran:#?}");
        assert!(ran.err.contains(words), "{name}: {}", ran.err);
    }
    let ran = cli.run(&["deploy"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("name what to deploy"), "{}", ran.err);
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
