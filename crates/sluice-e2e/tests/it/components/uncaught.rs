//! Errors nobody catches: they end their invocation, and neither the process nor the source.

use serde_json::{Value, json};

use super::manual;
use crate::support::{Deployed, deploy, new_user};

/// A source that evaluates the expression it is sent, and counts its runs in the module.
async fn evaluator() -> Deployed {
    let code = "let runs = 0; const never = new Promise(() => {});\nconst lost = () => {\n  throw new Error('lost');\n};\n".to_owned()
        + &manual("runs += 1; this.$emit(runs); if (event.body) await eval(event.body);");
    deploy(&new_user().await, &code).await
}

/// Runs it with each expression in turn; the errors, in that order.
async fn errors_of(source: &Deployed, expressions: &[&str]) -> Vec<Value> {
    let mut errors = Vec::new();
    for (n, expression) in expressions.iter().enumerate() {
        let invocation = source.run(json!({ "body": expression })).await;
        let error = source.errors(n + 1).await.remove(n);
        assert_eq!(
            error["original_context"]["id"], invocation["id"],
            "{expression}: {error}"
        );
        errors.push(error);
    }
    errors
}

#[tokio::test]
async fn an_error_nobody_catches_ends_its_invocation_and_the_process_lives_on() {
    let expressions = [
        "lost()",
        "setTimeout(lost, 1), never",
        "(() => { const timer = setInterval(() => { clearInterval(timer); lost(); }, 1); return never; })()",
        "setImmediate(lost), never",
        "require('timers').setTimeout(lost, 1), never",
        "Promise.resolve().then(lost), never",
        "[1].forEach(async () => { await null; lost(); }), never",
        "process.nextTick(lost), never",
        "queueMicrotask(lost), never",
        "require('fs').readFile('nowhere', lost), never",
        "new (require('events'))().on('x', lost).emit('x')",
    ];
    let source = evaluator().await;
    let errors = errors_of(&source, &expressions).await;
    for (expression, error) in expressions.iter().zip(&errors) {
        assert_eq!(error["error"]["msg"], "lost", "{expression}: {error}");
        let stack = error["error"]["stack"].as_str().unwrap_or_default();
        assert!(stack.contains("component.cjs:3:"), "{expression}: {stack}");
    }
    let lines = source.logs().await;
    let shown = |error: &Value| {
        let id = &error["original_context"]["id"];
        lines.iter().any(|line| {
            let text = line["msg"].as_str().unwrap_or_default();
            line["invocation_id"] == *id
                && line["level"] == "error"
                && text.contains("Error: lost")
                && text.contains("component.cjs:3:")
        })
    };
    assert!(errors.iter().all(shown), "{lines:#?}");
    // The module's state, and so the process, is the same throughout.
    source.run(json!({})).await;
    let runs = source.events(expressions.len() + 1).await;
    assert_eq!(
        runs,
        (1..=expressions.len() + 1)
            .map(Value::from)
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn whatever_is_thrown_is_reported_and_the_source_works_on() {
    let cases = [
        ("(() => { throw 'a string'; })()", "a string"),
        ("(() => { throw undefined; })()", "undefined"),
        ("(() => { throw null; })()", "null"),
        ("(() => { throw { message: 'an object' }; })()", "an object"),
        (
            "(() => { throw Object.freeze(new Error('frozen')); })()",
            "frozen",
        ),
        ("Promise.reject(), never", "undefined"),
        (
            "(() => { throw new Proxy({}, { get() { throw 1; }, has() { throw 2; } }); })()",
            "",
        ),
        (
            "(() => { const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { throw e; } }); throw e; })()",
            "",
        ),
    ];
    let source = evaluator().await;
    let errors = errors_of(&source, &cases.map(|(expression, _)| expression)).await;
    for ((expression, message), error) in cases.iter().zip(errors) {
        let told = error["error"]["msg"].as_str().unwrap_or_default();
        assert!(told.contains(message), "{expression}: {error}");
    }
    source.run(json!({})).await;
    assert_eq!(source.events(cases.len() + 1).await.len(), cases.len() + 1);
}
