//! `sluice workflows deploy`: what it sends, what it says, and when it does nothing.

use serde_json::Value;

use super::fixtures::{Cli, Folder};

const GREET: &str = "\
# Greets.
name: Greet people
triggers:
  - http: {}
steps:
  - name: greet
    file: ./steps/greet.mjs
    props: { greeting: Hello }
";

const GREET_CODE: &str = r#"import { join } from "../lib/join.mjs";
export default defineComponent({
  props: { greeting: "string" },
  async run({ steps }) { return join(this.greeting, steps.trigger.event.name); },
});
"#;

const JOIN_CODE: &str = "export const join = (...words) => words.join(\" \");\n";

fn greet() -> Folder {
    Folder::with(&[
        ("greet.yaml", GREET),
        ("steps/greet.mjs", GREET_CODE),
        ("lib/join.mjs", JOIN_CODE),
        ("unrelated.mjs", "nobody imports this"),
    ])
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[tokio::test]
async fn a_document_is_created_with_the_files_that_it_names_and_imports() {
    let cli = Cli::new().await;
    let folder = greet();
    let file = folder.join("greet.yaml").display().to_string();
    let out = cli.ok(&["workflows", "deploy", &file]).await;
    assert!(
        out.starts_with("Created greet-people\nid        p_"),
        "{out}"
    );
    assert!(out.contains("\nversion   1\nendpoint  http"), "{out}");
    let args = [
        "workflows",
        "run",
        "greet-people",
        "--wait",
        "--event",
        r#"{"name": "Ann"}"#,
    ];
    let out = cli.ok(&args).await;
    assert!(out.contains("$return_value = \"Hello Ann\"\n"), "{out}");
    let version = cli
        .ok(&["workflows", "describe", "greet-people", "--json"])
        .await;
    let id = json(&version)["id"].clone();
    let path = format!("/workflows/{}/versions/1", id.as_str().expect("an id"));
    let version = cli.api.get(&path).await.ok();
    assert_eq!(version["document"], GREET);
    let files = version["files"].as_object().expect("files");
    let names: Vec<&String> = files.keys().collect();
    assert_eq!(names, ["lib/join.mjs", "steps/greet.mjs"]);
    assert_eq!(files["steps/greet.mjs"], GREET_CODE);
}

#[tokio::test]
async fn deploying_again_makes_a_version_only_when_something_changed() {
    let cli = Cli::new().await;
    let folder = greet();
    let file = folder.join("greet.yaml").display().to_string();
    let deploy = ["workflows", "deploy", &file, "--json"];
    let created = json(&cli.ok(&deploy).await);
    assert_eq!(created["outcome"], "created");
    let unchanged = json(&cli.ok(&deploy).await);
    assert_eq!(unchanged["outcome"], "unchanged");
    assert_eq!(unchanged["version"], 1);
    let out = cli.ok(&["workflows", "deploy", &file]).await;
    assert!(out.starts_with("greet-people is unchanged\n"), "{out}");
    // A file that a step imports is part of the version.
    folder.put("lib/join.mjs", &JOIN_CODE.replace("\" \"", "\"-\""));
    let updated = json(&cli.ok(&deploy).await);
    assert_eq!(updated["outcome"], "updated");
    assert_eq!(updated["version"], 2);
    assert_eq!(updated["id"], created["id"]);
    let endpoint = |deployed: &Value| deployed["triggers"][0]["endpoint_url"].clone();
    assert_eq!(endpoint(&updated), endpoint(&created));
    let out = cli.ok(&["workflows", "deploy", &file]).await;
    assert!(out.contains("version   2"), "{out}");
}

#[tokio::test]
async fn another_name_is_another_workflow_unless_one_is_named() {
    let cli = Cli::new().await;
    let folder = greet();
    let file = folder.join("greet.yaml").display().to_string();
    cli.ok(&["workflows", "deploy", &file]).await;
    folder.put("greet.yaml", &GREET.replace("Greet people", "Greet all"));
    let args = [
        "workflows",
        "deploy",
        &file,
        "--workflow",
        "greet-people",
        "--json",
    ];
    let renamed = json(&cli.ok(&args).await);
    assert_eq!(renamed["outcome"], "updated");
    assert_eq!(renamed["name_slug"], "greet-all");
    folder.put("greet.yaml", GREET);
    let other = json(&cli.ok(&["workflows", "deploy", &file, "--json"]).await);
    assert_eq!(other["outcome"], "created");
}

#[tokio::test]
async fn every_mistake_is_told_like_a_compilers() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[(
        "bad.yaml",
        "name: Bad\ntrigers: []\nsteps:\n  - name: 1st\n    code: x\n  - name: second\n",
    )]);
    let file = folder.join("bad.yaml").display().to_string();
    let ran = cli.run(&["workflows", "deploy", &file]).await;
    assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{ran:?}");
    for place in [
        ":2:1: trigers: ",
        ":4:11: steps[0].name: ",
        ":6:5: steps[1]: ",
    ] {
        assert!(
            ran.err.contains(&format!("{file}{place}")),
            "{place}\n{}",
            ran.err
        );
    }
    assert!(
        ran.err.ends_with("3 errors, nothing was deployed\n"),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn mistakes_that_only_the_server_can_find_are_told_in_the_same_way() {
    let cli = Cli::new().await;
    let folder = Folder::with(&[(
        "bad.yaml",
        "name: Bad\ntriggers:\n  - events: { from: nobody }\nenv:\n  TOKEN: { secret: true }\nsteps:\n  - name: note\n    action: no-such-action\n  - name: code\n    code: |\n      export default defineComponent({\n        run( {\n      })\n",
    )]);
    let file = folder.join("bad.yaml").display().to_string();
    let ran = cli.run(&["workflows", "deploy", &file]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    for place in [
        ":3:",
        ":5:",
        ":8:13: steps[0].action: ",
        ":12:12: steps[1].code: SyntaxError",
    ] {
        assert!(
            ran.err.contains(&format!("{file}{place}")),
            "{place}\n{}",
            ran.err
        );
    }
}

#[tokio::test]
async fn files_that_are_missing_are_told_where_they_are_named() {
    let cli = Cli::new().await;
    let folder = greet();
    folder.remove("lib/join.mjs");
    let file = folder.join("greet.yaml").display().to_string();
    let ran = cli.run(&["workflows", "deploy", &file]).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err
            .contains(&format!("{file}:7:11: steps[0].file: steps/greet.mjs:1:")),
        "{}",
        ran.err
    );
    folder.remove("steps/greet.mjs");
    let ran = cli.run(&["workflows", "deploy", &file]).await;
    assert!(
        ran.err
            .contains("steps[0].file: steps/greet.mjs: no such file\n"),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn secrets_come_from_flags_the_environment_or_a_file() {
    let cli = Cli::new().await;
    let step = "steps:\n  - name: tell\n    code: |\n      export default defineComponent({ props: { all: \"string\" }, async run() { return this.all } })\n    props: { all: \"{{ process.env.A + process.env.B + process.env.C }}\" }\n";
    let folder = Folder::with(&[
        (
            "w.yaml",
            &format!(
                "name: Secretive\nenv:\n  A: {{ secret: true }}\n  B: {{ secret: true }}\n  C: {{ secret: true }}\n{step}"
            ),
        ),
        ("secrets.yaml", "C: \"3\"\n"),
    ]);
    let file = folder.join("w.yaml").display().to_string();
    let secrets = folder.join("secrets.yaml").display().to_string();
    let ran = cli
        .run(&["workflows", "deploy", &file, "--secret", "B"])
        .await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("the environment variable B is not set"),
        "{}",
        ran.err
    );
    let args = [
        "workflows",
        "deploy",
        &file,
        "--secret",
        "A=1",
        "--secret",
        "B",
        "--secrets-file",
        &secrets,
    ];
    cli.with_env("B", "2").ok(&args).await;
    let out = cli.ok(&["workflows", "run", "secretive", "--wait"]).await;
    assert!(out.contains("$return_value = \"123\""), "{out}");
    // Those that are stored need not be given again, and a new value alone is no new version.
    let out = cli.ok(&["workflows", "deploy", &file]).await;
    assert!(out.starts_with("secretive is unchanged"), "{out}");
    let out = cli
        .ok(&["workflows", "deploy", &file, "--secret", "A=7"])
        .await;
    assert!(
        out.starts_with("Updated the secrets of secretive, without a new version\n"),
        "{out}"
    );
    let out = cli.ok(&["workflows", "run", "secretive", "--wait"]).await;
    assert!(out.contains("$return_value = \"723\""), "{out}");
    let versions = cli
        .ok(&["workflows", "versions", "secretive", "--json"])
        .await;
    assert_eq!(json(&versions).as_array().map(Vec::len), Some(1));
}
