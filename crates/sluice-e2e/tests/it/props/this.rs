//! `this` in components and in apps, as shared code uses it.

use rstest::rstest;
use serde_json::json;

use super::Form;
use crate::support::{deploy, deploy_with, new_user};

const APP: &str = r#"
const app = { type: "app", app: "git", propDefinitions: { repo: { type: "string" } }, methods: {
    base() { return "https://x"; },
    url(path) { return this.base() + path; },
    async each(items, fn) { const seen = []; for (const item of items) seen.push(await fn(item)); return seen; },
    keys() { return Object.keys(this).sort(); },
} };"#;

#[rstest]
#[tokio::test]
async fn app_methods_are_bound_to_the_app_and_methods_to_the_component(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        APP,
        "props: { app, suffix: 'string' }, methods: { shout(text) { return text + this.suffix; } },
         async run() {
            const { url, each } = this.app; const { shout } = this;
            this.$emit([url('/a'), await each(['/b'], this.app.url), await each(['c'], shout), ['d'].map(this.shout)]);
            this.$emit([this.app.keys(), typeof this.app.repo, typeof this.app.propDefinitions]);
         }",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "suffix": "!" })).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(2).await,
        [
            json!(["https://x/a", ["https://x/b"], ["c!"], ["d!"]]),
            json!([
                ["$auth", "base", "each", "keys", "url"],
                "undefined",
                "undefined"
            ]),
        ]
    );
}

#[rstest]
#[tokio::test]
async fn components_compose_by_spreading_and_call_hooks_of_their_base(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let before = r#"
        const base = { props: { db: "$.service.db" }, methods: { activate() { return "method"; }, note(what) { this.db.set(what, this.activate()); } },
            hooks: { async deploy() { this.note("deployed"); }, async activate() { this.note("activated"); } } };"#;
    let code = form.module(
        before,
        "...base, methods: { ...base.methods, activate() { return 'own ' + base.methods.activate.call(this); } },
         hooks: { ...base.hooks, async deploy() { await base.hooks.deploy.bind(this)(); }, async activate() { await base.hooks.activate.call(this); } },
         run() { this.$emit([this.db.get('deployed'), this.db.get('activated')]); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!(["own method", "own method"])]
    );
}

#[rstest]
#[tokio::test]
async fn this_may_stand_for_the_dollar_of_actions(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let before = r#"
        const request = async ($, config) => { $.export("debug", config); return config; };
        const app = { type: "app", app: "git", methods: { fetch($ = this) { return request($, { from: "app" }); } } };"#;
    let code = form.module(
        before,
        "props: { app }, methods: { own() { return request(this, { from: 'component' }); } },
         async run() { await this.app.fetch(); await this.app.fetch(this); await this.own(); this.$emit([Object.keys(this).sort(), Object.keys(this.app).sort()]); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!([["$emit", "app", "own"], ["$auth", "fetch"]])]
    );
    let logs = source.logs().await;
    let lines: Vec<_> = logs
        .iter()
        .map(|line| line["msg"].as_str().expect("a text"))
        .collect();
    assert_eq!(
        lines,
        [
            "export: debug { from: 'app' }",
            "export: debug { from: 'app' }",
            "export: debug { from: 'component' }"
        ]
    );
}

#[tokio::test]
async fn a_name_of_the_components_own_is_never_shadowed() {
    let code = Form::EsModule.module(
        "const app = { type: 'app', app: 'x', methods: { export() { return 'app method'; } } };",
        "props: { app }, methods: { export() { return 'method'; } }, run() { this.$emit([this.export(), this.app.export(), Object.keys(this).includes('export')]); }",
    );
    let source = deploy(&new_user().await, &code).await;
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await,
        [json!(["method", "app method", true])]
    );
}
