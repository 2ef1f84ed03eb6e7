//! `sluice dev`: each save updates the source.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use sluice_testkit::{Method, sluice_binary};
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use super::fixtures::{Cli, Folder};
use crate::support::PATIENCE;

/// What a save may take on a busy machine. Alone it takes a tenth of a second.
const SOON: Duration = Duration::from_secs(3);

/// A running `sluice dev --json`.
pub(super) struct Dev {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// Lines that nobody has asked for yet.
    waiting: Vec<Value>,
}

impl Dev {
    /// Starts it in a folder, for a file there.
    pub(super) fn start(cli: &Cli, folder: &Folder, args: &[&str]) -> Dev {
        let mut child = Command::new(sluice_binary())
            .arg("dev")
            .args(args)
            .arg("--json")
            .current_dir(folder.path())
            .env_clear()
            .envs(cli.environment())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the binary starts");
        let stdout = child.stdout.take().expect("its output");
        Dev {
            child,
            lines: BufReader::new(stdout).lines(),
            waiting: Vec::new(),
        }
    }

    /// The next line of this type, whatever comes between.
    pub(super) async fn next(&mut self, kind: &str) -> Value {
        let is_it = |line: &Value| line["type"] == kind;
        if let Some(at) = self.waiting.iter().position(is_it) {
            return self.waiting.remove(at);
        }
        let found = timeout(PATIENCE, async {
            while let Some(line) = self.lines.next_line().await.expect("text") {
                let line: Value = serde_json::from_str(&line).expect("a JSON object to a line");
                if is_it(&line) {
                    return line;
                }
                self.waiting.push(line);
            }
            panic!("it ended without a line {kind:?}: {:#?}", self.waiting);
        });
        let Ok(line) = found.await else {
            panic!("waited in vain for a line {kind:?}: {:#?}", self.waiting);
        };
        line
    }

    /// Interrupts it as Ctrl-C does; gives its exit code.
    pub(super) async fn interrupt(&mut self) -> i32 {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok());
        let pid = pid
            .and_then(rustix::process::Pid::from_raw)
            .expect("it runs");
        rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is told");
        self.end().await
    }

    /// Waits for its end; gives its exit code.
    pub(super) async fn end(&mut self) -> i32 {
        let ended = timeout(PATIENCE, self.child.wait()).await;
        let status = ended.expect("it ends").expect("it was there");
        status.code().expect("it was not killed")
    }
}

/// A source that answers each request with a word.
pub(super) fn answering(word: &str) -> String {
    format!(
        "export default {{\n  name: 'Answer', key: 'answer', version: '1',\n  props: {{ http: {{ type: '$.interface.http', customResponse: true }} }},\n  run(event) {{\n    console.log('asked', event.path);\n    this.http.respond({{ status: 200, body: '{word}' }});\n    this.$emit(event.body);\n  }},\n}};\n"
    )
}

/// The same, with the word in another file.
const IMPORTING: &str = "import { word } from './lib/word.ts';\nexport default {\n  name: 'Answer', version: '1',\n  props: { http: { type: '$.interface.http', customResponse: true } },\n  run() { this.http.respond({ status: 200, body: word() }); },\n};\n";

async fn answer(cli: &Cli, deployed: &Value) -> String {
    let endpoint = deployed["source"]["configured_props"]["http"]["endpoint_url"]
        .as_str()
        .unwrap_or_else(|| panic!("{deployed:#}"));
    let request = cli.api.absolute(Method::POST, endpoint);
    let answer = request.json(&json!({ "n": 1 })).send().await;
    String::from_utf8(answer.bytes.to_vec()).expect("text")
}

#[tokio::test]
async fn a_save_updates_the_source_at_once_and_what_it_does_is_shown() {
    let (cli, folder) = (
        Cli::new().await,
        Folder::with(&[("a.mjs", &answering("one"))]),
    );
    let mut dev = Dev::start(&cli, &folder, &["a.mjs"]);
    assert_eq!(dev.next("watching").await["file"], "a.mjs");
    let deployed = dev.next("deployed").await;
    assert_eq!(answer(&cli, &deployed).await, "one");
    assert_eq!(dev.next("log").await["log"]["msg"], "asked /");
    assert_eq!(dev.next("event").await["event"]["event"], json!({ "n": 1 }));
    let saved = Instant::now();
    folder.put("a.mjs", &answering("two"));
    dev.next("updated").await;
    assert!(saved.elapsed() < SOON, "it took {:?}", saved.elapsed());
    assert_eq!(answer(&cli, &deployed).await, "two");
    assert_eq!(dev.next("log").await["log"]["msg"], "asked /");
}

#[tokio::test]
async fn a_save_of_an_imported_file_updates_it_too_however_editors_save() {
    let word = |word: &str| format!("export const word = (): string => '{word}';\n");
    let files = [
        ("a.mjs", IMPORTING.to_owned()),
        ("lib/word.ts", word("one")),
    ];
    let folder = Folder::with(&files.each_ref().map(|(path, text)| (*path, text.as_str())));
    let cli = Cli::new().await;
    let mut dev = Dev::start(&cli, &folder, &["a.mjs"]);
    let mut watched = [dev.next("watching").await, dev.next("watching").await];
    watched.sort_by_key(|line| line["file"].to_string());
    assert_eq!(
        (&watched[0]["file"], &watched[1]["file"]),
        (&json!("a.mjs"), &json!("lib/word.ts"))
    );
    let deployed = dev.next("deployed").await;
    assert_eq!(answer(&cli, &deployed).await, "one");
    let saved = Instant::now();
    folder.put("lib/word.ts", &word("two"));
    dev.next("updated").await;
    assert!(saved.elapsed() < SOON, "it took {:?}", saved.elapsed());
    assert_eq!(answer(&cli, &deployed).await, "two");
    // As editors do that write a new file and put it in the place of the old one.
    folder.put("lib/.word.ts.new", &word("three"));
    std::fs::rename(folder.join("lib/.word.ts.new"), folder.join("lib/word.ts"))
        .expect("it is moved");
    dev.next("updated").await;
    assert_eq!(answer(&cli, &deployed).await, "three");
    // A file that is imported from now on is watched from now on.
    folder.put("lib/more/other.mjs", "export const other = 'four';\n");
    folder.put(
        "lib/word.ts",
        "import { other } from './more/other.mjs';\nexport const word = () => other;\n",
    );
    assert_eq!(dev.next("watching").await["file"], "lib/more/other.mjs");
    dev.next("updated").await;
    folder.put("lib/more/other.mjs", "export const other = 'five';\n");
    dev.next("updated").await;
    assert_eq!(answer(&cli, &deployed).await, "five");
}

#[tokio::test]
async fn the_source_stays_and_the_next_dev_of_the_file_takes_it_up() {
    let (cli, folder) = (
        Cli::new().await,
        Folder::with(&[("a.mjs", &answering("one"))]),
    );
    let mut dev = Dev::start(&cli, &folder, &["a.mjs"]);
    let deployed = dev.next("deployed").await;
    assert_eq!(dev.interrupt().await, 130);
    assert_eq!(answer(&cli, &deployed).await, "one");
    folder.put("a.mjs", &answering("two"));
    let mut again = Dev::start(&cli, &folder, &["./a.mjs", "--delete"]);
    let taken_up = again.next("deployed").await;
    assert_eq!(taken_up["source"]["id"], deployed["source"]["id"]);
    assert_eq!(answer(&cli, &taken_up).await, "two");
    assert_eq!(again.interrupt().await, 130);
    let path = format!(
        "/sources/{}",
        taken_up["source"]["id"].as_str().expect("an id")
    );
    assert_eq!(cli.api.get(&path).await.status, 404, "--delete deletes it");
}

#[tokio::test]
async fn it_attaches_to_a_source_of_the_same_component_and_to_no_other() {
    let (cli, folder) = (
        Cli::new().await,
        Folder::with(&[("a.mjs", &answering("new"))]),
    );
    let body = json!({ "component_code": answering("old"), "name": "mine" });
    let source = cli.api.post("/sources", &body).await.ok();
    for flag in ["--source", "--dc"] {
        let mut dev = Dev::start(&cli, &folder, &["a.mjs", flag, "mine"]);
        let deployed = dev.next("deployed").await;
        assert_eq!(deployed["source"]["id"], source["id"]);
        assert_eq!(answer(&cli, &deployed).await, "new");
        dev.interrupt().await;
    }
    let other = answering("x").replace("'answer'", "'other'");
    cli.api
        .post(
            "/sources",
            &json!({ "component_code": other, "name": "other" }),
        )
        .await
        .ok();
    let ran = cli
        .run(&[
            "dev",
            folder.join("a.mjs").to_str().expect("UTF-8"),
            "--source",
            "other",
        ])
        .await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("other runs Answer (other)"), "{}", ran.err);
    assert_eq!(cli.run(&["dev", "x.mjs", "--source"]).await.code, 2);
}

#[tokio::test]
async fn props_are_given_with_flags() {
    let code = "export default { name: 'P', version: '1', props: { word: 'string', n: { type: 'integer', default: 1 } }, run() { this.$emit([this.word, this.n]); } };\n";
    let (cli, folder) = (Cli::new().await, Folder::with(&[("p.mjs", code)]));
    let mut dev = Dev::start(
        &cli,
        &folder,
        &["p.mjs", "--prop", "word=hi", "--prop", "n=2"],
    );
    let deployed = dev.next("deployed").await;
    let path = format!(
        "/sources/{}/run",
        deployed["source"]["id"].as_str().expect("an id")
    );
    cli.api.post(&path, &json!({})).await.ok();
    assert_eq!(dev.next("event").await["event"]["event"], json!(["hi", 2]));
}

#[tokio::test]
async fn people_see_marks_and_how_to_go_on() {
    let (cli, folder) = (
        Cli::new().await,
        Folder::with(&[("a.mjs", &answering("one"))]),
    );
    let mut child = Command::new(sluice_binary())
        .args(["dev", "a.mjs"])
        .current_dir(folder.path())
        .env_clear()
        .envs(cli.environment())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stderr.take().expect("its notices")).lines();
    let mut told = Vec::new();
    let read = timeout(PATIENCE, async {
        while let Some(line) = lines.next_line().await.expect("text") {
            let is_last = line.starts_with("ready");
            told.push(line);
            if is_last {
                return;
            }
        }
    });
    read.await.expect("it is ready in time");
    assert_eq!(told[0], "watching a.mjs");
    for words in ["Deployed dev-a-", "id ", "endpoint ", "curl "] {
        assert!(
            told.iter().any(|line| line.contains(words)),
            "{words}: {told:#?}"
        );
    }
}
