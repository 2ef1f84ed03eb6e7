//! Components that try to break out, or to use up what others need: each is refused or contained, and others never notice.

mod code_cache;
mod exhaustion;
mod files;
mod missing_walls;
mod network;
mod poisoning;
mod processes;
mod proxy;
mod second_wall;
mod spinning;
mod standard_streams;

pub(crate) use self::second_wall::deno as deno_binary;

use serde_json::{Value, json};
use sluice_testkit::{Api, ServerOptions, sluice_binary, wait_for};

use crate::support::{Deployed, PATIENCE, deploy, server_as_it_comes, user_of_shared};

/// A source that is run by hand; `run` is the body of its `run(event)`.
pub(crate) fn manual(run: &str) -> String {
    format!("module.exports = {{ name: 'Test', version: '0.0.1', async run(event) {{ {run} }} }};")
}

/// Evaluates each expression in an invocation of its own: "refused" when it throws for want of permission, what it threw
/// when that was something else, and `["allowed", value]` when it threw nothing.
pub(crate) async fn attempt(api: &Api, expressions: &[&str], input: Value) -> Vec<Value> {
    let code = manual(
        "const fs = require('fs'); const tmp = process.env.TMPDIR; const input = event.input;
         const late = new Promise((_, fail) => setTimeout(fail, 4000, new Error('nothing happened')));
         const said = (error) => [error.name, error.code, error.message, error.cause?.code, error.cause?.message].join(' ');
         try { this.$emit({ value: String(await Promise.race([eval(event.expression), late])) }); } catch (error) { this.$emit({ threw: said(error) }); }",
    );
    let source = deploy(api, &code).await;
    let (mut outcomes, mut done, mut failed) = (Vec::new(), 0, 0);
    for expression in expressions {
        let event = json!({ "expression": expression, "input": input });
        source.run(event).await;
        // An error that nobody can catch ends the invocation.
        let outcome = wait_for(PATIENCE, expression, async || {
            let summaries = source.summaries().await;
            let errors = source.errors_so_far().await;
            let emitted = (summaries.len() > done).then(|| summaries[0]["event"].clone());
            emitted
                .or_else(|| (errors.len() > failed).then(|| json!({ "threw": errors[0]["error"] })))
        })
        .await;
        done += usize::from(outcome["threw"].as_object().is_none());
        failed += usize::from(outcome["threw"].as_object().is_some());
        outcomes.push(match outcome.get("value") {
            Some(value) => json!(["allowed", value]),
            None if is_refusal(&outcome["threw"].to_string()) => json!("refused"),
            None => outcome["threw"].clone(),
        });
    }
    outcomes
}

fn is_refusal(said: &str) -> bool {
    let words = [
        "NotCapable",
        "PermissionDenied",
        "EACCES",
        "EPERM",
        "Requires ",
        "ermission denied",
        "not permitted",
    ];
    words.iter().any(|word| said.contains(word))
}

/// Asserts that every expression is refused.
async fn assert_refused(api: &Api, expressions: &[&str], input: Value) {
    let outcomes = attempt(api, expressions, input).await;
    let reached: Vec<_> = expressions
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome != "refused")
        .collect();
    assert!(reached.is_empty(), "{reached:#?}");
}

/// A source that does nothing wrong, beside one that does.
pub(crate) struct Witness(Deployed);

impl Witness {
    pub(crate) async fn deploy(api: &Api) -> Witness {
        let code = "module.exports = { name: 'Witness', version: '0.0.1',
            props: { http: { type: '$.interface.http', customResponse: true }, db: '$.service.db' },
            run(event) { const n = (this.db.get('n') ?? 0) + 1; this.db.set('n', n); this.http.respond({ status: 200, body: { n } }); } };";
        let witness = Witness(deploy(api, code).await);
        witness.answers(1).await;
        witness
    }

    /// It is asked for the `nth` time and knows it.
    pub(crate) async fn answers(&self, nth: u64) {
        let answer = self.0.send(&json!({})).await.expect(200);
        assert_eq!(answer, json!({ "n": nth }));
        assert!(self.0.summaries().await.is_empty());
    }
}

/// The walls below Deno's that this machine can put up; a test of one that is missing proves nothing.
pub(crate) fn walls() -> Value {
    let output = std::process::Command::new(sluice_binary())
        .arg("sandbox-probe")
        .output()
        .expect("it runs");
    let mut lines = output.stdout.split(|byte| *byte == b'\n');
    serde_json::from_slice(lines.next().expect("a line")).expect("the walls")
}

fn has_all_walls() -> bool {
    let walls = walls();
    let complete = walls["landlock"] == "files_and_ports"
        && walls["seccomp"] == true
        && walls["namespaces"] != "none";
    if !complete {
        eprintln!("skipped: this machine has only {walls}");
    }
    complete
}

/// Whether the server can make the connections of components.
pub(crate) fn has_broker() -> bool {
    let walls = walls();
    let complete = walls["seccomp"] == true && walls["network_namespace"] == true;
    if !complete {
        eprintln!("skipped: this machine has only {walls}");
    }
    complete
}

/// Also whether components get a `/tmp` of their own. They do not where Deno itself lies below it, as in a checkout in `/tmp`.
pub(crate) fn has_private_tmp() -> bool {
    let in_the_way = second_wall::deno().starts_with("/tmp");
    if in_the_way {
        eprintln!("skipped: Deno is installed below /tmp");
    }
    has_all_walls() && !in_the_way
}

/// A new user of a server where little may be used up.
pub(crate) async fn tight_user() -> Api {
    user_with_little("sandbox limits", "4s").await
}

/// The same, with time for what uses it up slowly on a busy machine.
pub(crate) async fn tight_user_with_time() -> Api {
    user_with_little("sandbox limits with time", "30s").await
}

async fn user_with_little(name: &str, time: &str) -> Api {
    let flags = [
        ["--invocation-timeout", time],
        ["--load-timeout", "3s"],
        ["--heap", "64MiB"],
        ["--max-memory", "160MiB"],
        ["--max-tmp", "8MiB"],
    ];
    let flags = flags.into_iter().flatten();
    user_of_shared(name, || {
        flags.fold(server_as_it_comes(), ServerOptions::arg)
    })
    .await
}
