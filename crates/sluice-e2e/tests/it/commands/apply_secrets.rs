//! Secrets in a folder are names; their values come from elsewhere, and go to the server only.

use serde_json::json;

use super::fixtures::{Cli, Folder};
use crate::support::Deployed;

const CODE: &str = "export default {\n  name: \"Tells\",\n  version: \"1\",\n  props: { token: { type: \"string\", secret: true } },\n  run() {\n    this.$emit({ token: this.token });\n  },\n};\n";

fn folder() -> Folder {
    Folder::with(&[
        ("components/tells.mjs", CODE),
        (
            "sources/tells.yaml",
            "name: Tells\ncomponent: ../components/tells.mjs\nprops:\n  token: { secret: TELLS_TOKEN }\n",
        ),
    ])
}

/// What the source sees as its token, the `count`th time that it is asked.
async fn token(cli: &Cli, count: usize) -> String {
    let source = cli.api.get("/users/me/sources").await.ok()[0].clone();
    let source = Deployed {
        api: cli.api.clone(),
        id: source["id"].as_str().expect("an id").to_owned(),
        source,
    };
    source.run(json!({})).await;
    let events = source.events(count).await;
    let last = events.last().expect("an event");
    last["token"].as_str().expect("a token").to_owned()
}

#[tokio::test]
async fn a_secret_without_a_value_is_named_with_what_to_do() {
    let cli = Cli::new().await;
    let ran = cli.run(&["apply", folder().path(), "--yes"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    let problem = "! sources/tells: props.token: the secret TELLS_TOKEN has no value: set the environment variable TELLS_TOKEN, \
                   or use --secrets-file\n";
    assert_eq!(ran.err, problem);
    assert!(
        ran.out.contains("created components/tells\n"),
        "{}",
        ran.out
    );
}

#[tokio::test]
async fn values_come_from_the_environment_or_a_file_and_stay_until_told_otherwise() {
    let cli = Cli::new().await;
    let folder = folder();
    let with = |value: &str| cli.with_env("TELLS_TOKEN", value);
    with("first").ok(&["apply", folder.path(), "--yes"]).await;
    assert_eq!(token(&cli, 1).await, "first");
    // The server does not tell what it has, so another value alone is no difference.
    for cli in [&cli, &with("second")] {
        let out = cli.ok(&["apply", folder.path(), "--yes"]).await;
        assert_eq!(out, "No changes; 2 unchanged.\n");
    }
    // Other changes keep it.
    let text = folder.text("sources/tells.yaml");
    folder.put(
        "sources/tells.yaml",
        &format!("{text}retention: {{ max_events: 3 }}\n"),
    );
    cli.ok(&["apply", folder.path(), "--yes"]).await;
    assert_eq!(token(&cli, 2).await, "first");
    folder.put("secrets.yaml", "TELLS_TOKEN: third\n");
    let file = folder.join("secrets.yaml").display().to_string();
    let args = [
        "apply",
        folder.path(),
        "--yes",
        "--update-secrets",
        "--secrets-file",
        &file,
    ];
    let out = with("second").ok(&args).await;
    assert!(out.contains("    props.token: new secret\n"), "{out}");
    assert!(!out.contains("third"), "{out}");
    assert_eq!(token(&cli, 3).await, "third");
}
