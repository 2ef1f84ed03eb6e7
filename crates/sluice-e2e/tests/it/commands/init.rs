//! `sluice init`: what it writes works as it is.

use std::path::Path;

use serde_json::json;
use sluice_testkit::{Key, Method, Terminal, sluice_binary};

use super::{
    fixtures::{Cli, run_in},
    workshop::Workshop,
};

/// Names of sources, with the flags that make them.
const SOURCES: [(&str, &[&str]); 6] = [
    ("plain", &[]),
    ("http", &["--http"]),
    ("timer", &["--timer"]),
    ("db", &["--db"]),
    ("timer-db", &["--timer", "--db"]),
    ("all", &["--http", "--timer", "--db"]),
];

async fn init(shop: &Workshop, kind: &str, name: &str, flags: &[&str]) {
    shop.ok(&[&["init", kind, name], flags].concat()).await;
    let typescript = format!("{name}-ts");
    let args = [&["init", kind, &typescript, "--typescript"], flags].concat();
    shop.ok(&args).await;
}

#[tokio::test]
async fn everything_that_is_written_passes_its_own_tests() {
    let shop = Workshop::with(&[]);
    for (name, flags) in SOURCES {
        init(&shop, "source", name, flags).await;
    }
    for (kind, name) in [("action", "act"), ("app", "acme"), ("workflow", "flow")] {
        init(&shop, kind, name, &[]).await;
    }
    let (report, code) = shop.json(&["test", "."]).await;
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(report["failed"], 0, "{report:#}");
    let tests = report["tests"].as_array().expect("a list");
    let files: std::collections::BTreeSet<_> =
        tests.iter().map(|test| test["file"].as_str()).collect();
    assert_eq!(files.len(), 2 * (SOURCES.len() + 3), "{files:?}");
}

#[tokio::test]
async fn sources_deploy_as_they_are() {
    let cli = Cli::new().await;
    let shop = Workshop::with(&[]);
    for (name, flags) in SOURCES {
        init(&shop, "source", name, flags).await;
        for file in [format!("{name}.mjs"), format!("{name}-ts.ts")] {
            let code = shop.folder.text(&file);
            let answer = cli
                .api
                .post("/sources", &json!({ "component_code": code }))
                .await;
            assert_eq!(answer.status, 200, "{file}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_workflow_deploys_and_answers() {
    let cli = Cli::new().await;
    let shop = Workshop::with(&[]);
    shop.ok(&["init", "workflow", "Say hello"]).await;
    assert!(
        shop.folder
            .text("say-hello/workflow.yaml")
            .starts_with("# yaml-language-server: $schema=")
    );
    let document = shop.folder.join("say-hello/workflow.yaml");
    let document = document.to_str().expect("UTF-8");
    let shown = cli.ok(&["workflows", "deploy", document, "--json"]).await;
    let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let endpoint = shown["triggers"][0]["endpoint_url"]
        .as_str()
        .unwrap_or_else(|| panic!("{shown:#}"));
    // The first run has no body.
    let args = ["workflows", "run", "say-hello", "--wait", "--json"];
    let run: serde_json::Value = serde_json::from_str(&cli.ok(&args).await).expect("JSON");
    assert_eq!(run["state"], "succeeded", "{run:#}");
    let greeting = &run["steps"][0]["exports"]["$return_value"];
    assert_eq!(*greeting, "Hello, stranger!");

    let request = cli.api.absolute(Method::POST, endpoint);
    let answer = request.json(&json!({ "name": "Ada" })).send().await;
    assert_eq!(answer.body, json!({ "text": "Hello, Ada!" }));
}

#[tokio::test]
async fn typescript_is_checked_with_types_that_were_written_beside_it() {
    let shop = Workshop::with(&[]);
    for (name, flags) in SOURCES {
        let args = ["init", "source", name, "--typescript"];
        shop.ok(&[&args[..], flags].concat()).await;
    }
    for (kind, name) in [("action", "act"), ("app", "acme"), ("workflow", "flow")] {
        shop.ok(&["init", kind, name, "--typescript"]).await;
    }
    let errors = type_errors(Path::new(shop.folder.path()));
    assert_eq!(errors, "");

    let code = shop.folder.text("plain.ts");
    let wrong = code.replace("this.db.get", "this.bd.get");
    assert_ne!(code, wrong);
    std::fs::write(shop.folder.join("plain.ts"), wrong).unwrap();
    let errors = type_errors(Path::new(shop.folder.path()));
    assert!(
        errors.contains("plain.ts") && errors.contains("'bd'"),
        "{errors}"
    );
}

/// The output of the TypeScript compiler for a folder.
fn type_errors(folder: &Path) -> String {
    let compiler = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../ui/node_modules/typescript/bin/tsc"
    );
    let ran = std::process::Command::new("node")
        .args([compiler, "--project"])
        .arg(folder)
        .output()
        .expect("the compiler starts");
    String::from_utf8(ran.stdout).expect("UTF-8")
}

#[tokio::test]
async fn names_of_files_and_keys_come_from_the_name() {
    let shop = Workshop::with(&[]);
    let ran = shop.run(&["init", "source", "New \"Orders\""]).await;
    assert_eq!(ran.code, 0, "{ran:#?}");
    assert_eq!(ran.out, "wrote new-orders.mjs\nwrote new-orders.test.mjs\n");
    assert!(ran.err.contains("sluice dev new-orders.mjs"), "{}", ran.err);
    let code = shop.folder.text("new-orders.mjs");
    assert!(code.contains(r#"name: "New \"Orders\"","#), "{code}");
    assert!(code.contains(r#"key: "new-orders","#), "{code}");
}

#[tokio::test]
async fn what_is_left_out_is_asked_for_at_a_terminal() {
    let shop = Workshop::with(&[]);
    let program = sluice_binary();
    let mut terminal = Terminal::start(program, &["init"], &[], Path::new(shop.folder.path()));
    terminal.wait_for_text("Kind").await;
    terminal.press(Key::Down);
    terminal.press(Key::Enter);
    terminal.wait_for_text("Name").await;
    terminal.type_line("Say hi");
    terminal.wait_for_text("wrote say-hi.test.mjs").await;
    assert!(shop.folder.text("say-hi.mjs").contains("type: \"action\""));
}

#[tokio::test]
async fn nothing_is_overwritten_unless_asked_for() {
    let shop = Workshop::with(&[("a.test.mjs", "mine")]);
    let ran = shop.run(&["init", "source", "a"]).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("a.test.mjs") && ran.err.contains("--force"),
        "{}",
        ran.err
    );
    assert_eq!(shop.folder.files().len(), 1, "nothing else is written");
    shop.ok(&["init", "source", "a", "--force"]).await;
    assert_ne!(shop.folder.text("a.test.mjs"), "mine");
}

#[tokio::test]
async fn another_folder_is_made_for_it() {
    let shop = Workshop::with(&[]);
    let (told, code) = shop.json(&["init", "action", "b", "--dir", "x/y"]).await;
    assert_eq!(code, 0);
    assert_eq!(told, json!({ "files": ["x/y/b.mjs", "x/y/b.test.mjs"] }));
    assert!(shop.folder.join("x/y/b.mjs").is_file());
}

#[tokio::test]
async fn what_is_missing_or_does_not_fit_is_told() {
    let here = Path::new("/");
    for (args, words) in [
        (vec!["init"], "sluice init source|action|app|workflow NAME"),
        (vec!["init", "app"], "sluice init app NAME"),
        (vec!["init", "action", "a", "--timer"], "are for sources"),
        (vec!["init", "source", "…"], "it needs a letter or a digit"),
    ] {
        let ran = run_in(here, &args, &[]).await;
        assert_eq!(ran.code, 1, "{ran:#?}");
        assert!(ran.err.contains(words), "{ran:#?}");
    }
    assert_eq!(run_in(here, &["init", "thing"], &[]).await.code, 2);
}
