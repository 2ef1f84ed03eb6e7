//! `sluice dev` and mistakes: told at their lines, and mended by the next save.

use serde_json::{Value, json};

use super::{
    dev::{Dev, answering},
    fixtures::{Cli, Folder},
};

fn errors(failed: &Value) -> String {
    let errors = failed["errors"].as_array().expect("a list").iter();
    let texts: Vec<&str> = errors.filter_map(Value::as_str).collect();
    texts.join("\n")
}

async fn run(cli: &Cli, deployed: &Value) {
    let path = format!(
        "/sources/{}/run",
        deployed["source"]["id"].as_str().expect("an id")
    );
    cli.api.post(&path, &json!({})).await.ok();
}

#[tokio::test]
async fn a_save_that_does_not_load_is_told_with_its_place_and_the_next_one_counts() {
    let (cli, folder) = (
        Cli::new().await,
        Folder::with(&[("a.mjs", &answering("one"))]),
    );
    let mut dev = Dev::start(&cli, &folder, &["a.mjs"]);
    dev.next("deployed").await;
    for (broken, place) in [
        (
            "export default {\n  name: 'A' version\n};\n",
            "a.mjs:2:13: SyntaxError",
        ),
        (
            "const a = 1;\n\nnull.x;\nexport default {};\n",
            "a.mjs:3:6: Cannot read properties of null",
        ),
        (
            "export default { name: 'A', run() {} };\n",
            "version is required",
        ),
        ("import './lib/gone.mjs';\nexport default {};\n", "a.mjs:1:"),
    ] {
        folder.put("a.mjs", broken);
        let told = errors(&dev.next("failed").await);
        assert!(told.contains(place), "{place}: {told}");
    }
    folder.put("a.mjs", &answering("two"));
    dev.next("updated").await;
}

#[tokio::test]
async fn a_hook_that_throws_is_told_with_its_line() {
    let (cli, folder) = (
        Cli::new().await,
        Folder::with(&[("a.mjs", &answering("one"))]),
    );
    let mut dev = Dev::start(&cli, &folder, &["a.mjs"]);
    dev.next("deployed").await;
    let throwing =
        "hooks: {\n    activate() { throw new Error('not now'); },\n  },\n  run(event) {";
    folder.put("a.mjs", &answering("two").replace("run(event) {", throwing));
    let told = errors(&dev.next("failed").await);
    assert!(
        told.contains("not now") && told.contains("a.mjs:5:"),
        "{told}"
    );
}

#[tokio::test]
async fn errors_of_a_run_have_the_lines_of_the_original_files() {
    let whole = "export default { name: 'W', version: '1',\n  run() {\n    throw new Error('no');\n  },\n};\n";
    let library = "interface Reason { text: string }\n\nexport function fail(reason: Reason): never {\n  throw new Error(reason.text);\n}\n";
    let joined = "import { fail } from './lib/fail.ts';\nexport default {\n  name: 'J', version: '1',\n  run(): void { fail({ text: 'no' }); },\n};\n";
    let files = [
        ("whole.mjs", whole),
        ("lib/fail.ts", library),
        ("joined.ts", joined),
    ];
    let (cli, folder) = (Cli::new().await, Folder::with(&files));
    for (file, places) in [
        ("whole.mjs", vec!["whole.mjs:3:11"]),
        ("joined.ts", vec!["lib/fail.ts:4:9", "joined.ts:4:"]),
    ] {
        let mut dev = Dev::start(&cli, &folder, &[file]);
        let deployed = dev.next("deployed").await;
        run(&cli, &deployed).await;
        let line = dev.next("log").await["log"].clone();
        let message = line["msg"].as_str().expect("a message");
        for place in places {
            assert!(message.contains(place), "{place}: {message}");
        }
        assert_eq!(line["level"], "error");
    }
}

#[tokio::test]
async fn a_file_that_is_missing_may_come_back() {
    let files = [(
        "a.mjs",
        "import { word } from './lib/word.mjs';\nexport default { name: 'A', version: '1', run() { this.$emit(word); } };\n",
    )];
    let (cli, folder) = (Cli::new().await, Folder::with(&files));
    let mut dev = Dev::start(&cli, &folder, &["a.mjs"]);
    let told = errors(&dev.next("failed").await);
    assert!(
        told.contains("./lib/word.mjs") && told.contains("a.mjs:1:"),
        "{told}"
    );
    folder.put("lib/word.mjs", "export const word = 'here';\n");
    let deployed = dev.next("deployed").await;
    run(&cli, &deployed).await;
    assert_eq!(dev.next("event").await["event"]["event"], "here");
    let code = folder.text("a.mjs");
    folder.remove("a.mjs");
    dev.next("failed").await;
    folder.put("a.mjs", &code.replace("'A'", "'B'"));
    dev.next("updated").await;
}

#[tokio::test]
async fn missing_props_and_actions_are_told() {
    let files = [
        (
            "p.mjs",
            "export default { name: 'P', version: '1', props: { word: 'string' }, run() {} };\n",
        ),
        (
            "action.mjs",
            "export default { name: 'A', version: '1', type: 'action', run() {} };\n",
        ),
    ];
    let (cli, folder) = (Cli::new().await, Folder::with(&files));
    let ran = cli
        .run(&["dev", folder.join("p.mjs").to_str().expect("UTF-8")])
        .await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--prop word="), "{}", ran.err);
    let ran = cli
        .run(&["dev", folder.join("action.mjs").to_str().expect("UTF-8")])
        .await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("sluice test"), "{}", ran.err);
}

#[tokio::test]
async fn a_source_that_is_deleted_meanwhile_ends_it() {
    let (cli, folder) = (
        Cli::new().await,
        Folder::with(&[("a.mjs", &answering("one"))]),
    );
    let mut dev = Dev::start(&cli, &folder, &["a.mjs"]);
    let deployed = dev.next("deployed").await;
    let path = format!(
        "/sources/{}",
        deployed["source"]["id"].as_str().expect("an id")
    );
    assert_eq!(cli.api.delete(&path).await.status, 204);
    assert_eq!(dev.end().await, 1);
}
