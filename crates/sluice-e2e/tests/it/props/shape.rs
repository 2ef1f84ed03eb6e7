//! What the API shows of components of every kind.

use rstest::rstest;
use serde_json::json;

use super::{Form, component, save};
use crate::support::{deploy_with, new_user};

#[tokio::test]
async fn rows_have_everything_a_form_needs_in_declaration_order() {
    let code = component(
        "props: {
            zebra: { type: 'string', secret: true, hidden: true, disabled: false },
            search: { type: 'string[]', useQuery: true, withLabel: true, reloadProps: true, options({ query }) { return [query]; } },
            note: { type: 'alert', alertType: 'warning', content: 'Mind the gap' },
            timer: { type: '$.interface.timer', static: { intervalSeconds: 900 } },
            hook: { type: '$.interface.apphook', appProp: 'app', eventNames() { return ['x']; } },
            query: { type: 'sql', auth: { app: 'pg' } },
            channel: '$.discord.channel', whatever: 'any', list: 'any[]',
        }, run() {}",
    );
    let saved = save(&new_user().await, &code).await;
    assert_eq!(
        saved["configurable_props"],
        json!([
            { "name": "zebra", "type": "string", "secret": true, "hidden": true, "disabled": false },
            { "name": "search", "type": "string[]", "useQuery": true, "withLabel": true, "reloadProps": true, "remoteOptions": true },
            { "name": "note", "type": "alert", "alertType": "warning", "content": "Mind the gap" },
            { "name": "timer", "type": "$.interface.timer", "static": { "intervalSeconds": 900 } },
            { "name": "hook", "type": "$.interface.apphook", "appProp": "app" },
            { "name": "query", "type": "sql", "auth": { "app": "pg" } },
            { "name": "channel", "type": "$.discord.channel" },
            { "name": "whatever", "type": "any" },
            { "name": "list", "type": "any[]" },
        ])
    );
}

#[rstest]
#[tokio::test]
async fn an_action_is_saved_and_shown_and_cannot_be_deployed(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let api = new_user().await;
    let code = form.module(
        "const app = { type: 'app', app: 'x' };",
        "key: 'x-do', type: 'action', props: { app, text: 'string' }, async run({ $ }) { $.export('$summary', this.text); return 1; }",
    );
    let saved = save(&api, &code).await;
    assert_eq!(saved["type"], "action");
    assert_eq!(
        saved["configurable_props"],
        json!([{ "name": "app", "type": "app", "app": "x" }, { "name": "text", "type": "string" }])
    );
    assert_eq!(api.get("/components/x-do").await.ok(), saved);
    let body = json!({ "component_id": saved["id"], "configured_props": { "text": "x" } });
    api.post("/sources", &body).await.expect(422);
}

#[tokio::test]
async fn a_source_is_shown_as_one_whether_it_says_so_or_not() {
    let api = new_user().await;
    for rest in ["run() {}", "type: 'source', run() {}"] {
        assert_eq!(save(&api, &component(rest)).await["type"], "source");
    }
}

#[tokio::test]
async fn a_static_timer_is_fixed_by_the_component() {
    let code = component(
        "props: { timer: { type: '$.interface.timer', static: { intervalSeconds: 900 } } }, run(event) { this.$emit(event.interval_seconds); }",
    );
    let given = json!({ "timer": { "intervalSeconds": 60 } });
    let source = deploy_with(&new_user().await, &code, given).await;
    assert_eq!(
        source.source["configured_props"]["timer"]["interval_seconds"],
        900
    );
    assert_eq!(source.events(1).await, [900]);
}

#[tokio::test]
async fn an_alert_takes_no_value_and_is_nothing_to_the_code() {
    let code = component(
        "props: { note: { type: 'alert', alertType: 'info', content: 'Hi' } }, run() { this.$emit('note' in this); }",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "note": "x" })).await;
    assert_eq!(source.source["configured_props"], json!({}));
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [false]);
}
