//! `POST /components/configure`: the options of a prop, as its method gives them.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Server};

use super::{Form, ask_options, component, errors, save};
use crate::support::{deploy_with, new_user, new_user_on, own_server, shared_server, unique_name};

/// Saves a component with these props, and asks for the options of `p`.
async fn page(api: &Api, props: &str, more: Value) -> Value {
    let code = component(&format!("props: {{ {props} }}, run() {{}}"));
    let saved = save(api, &code).await;
    ask_options(api, &saved["id"], "p", more).await.expect(200)
}

#[rstest]
#[tokio::test]
async fn a_list_of_texts_and_a_list_of_choices_are_told_apart(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let texts = page(
        &api,
        "p: { type: 'string', async options() { return ['a', 'b']; } }",
        json!({}),
    )
    .await;
    let nothing = page(&api, "p: { type: 'string', options() {} }", json!({})).await;
    assert_eq!(nothing["options"], json!([]));
    assert_eq!(
        texts,
        json!({ "options": null, "stringOptions": ["a", "b"], "context": null, "errors": [], "observations": [] })
    );
    let choices = page(
        &api,
        "p: { type: 'integer', options() { console.log('asked'); return { options: [1, { label: 'Two', value: 2 }], context: { next: 'x' } }; } }",
        json!({}),
    )
    .await;
    assert_eq!(
        choices["options"],
        json!([{ "label": "1", "value": 1 }, { "label": "Two", "value": 2 }])
    );
    assert_eq!(choices["stringOptions"], json!(null));
    assert_eq!(choices["context"], json!({ "next": "x" }));
    assert_eq!(
        [
            &choices["observations"][0]["k"],
            &choices["observations"][0]["msg"]
        ],
        ["log", "asked"]
    );
}

#[tokio::test]
async fn the_method_gets_page_context_and_query() {
    let api = new_user().await;
    let props =
        "p: { type: 'string', useQuery: true, options(given) { return [JSON.stringify(given)]; } }";
    let first = page(&api, props, json!({})).await;
    assert_eq!(
        first["stringOptions"],
        json!([r#"{"page":0,"prevContext":{}}"#])
    );
    let more = json!({ "page": 2, "prev_context": { "token": [1] }, "query": "abc" });
    let later = page(&api, props, more).await;
    assert_eq!(
        later["stringOptions"],
        json!([r#"{"page":2,"prevContext":{"token":[1]},"query":"abc"}"#])
    );
}

const APP: &str = r#"
const app = { type: "app", app: "git", methods: { list(owner) { return [`${owner}/one`, this.$auth.api_key ?? "no key"]; } }, propDefinitions: {
    repo: { type: "string", async options({ page, owner, more }) { return [...this.list(owner), String(page), String(more)]; } },
    fixed: { propDefinition: [null, "repo", { owner: "fixed", more: 1 }] },
} };
app.propDefinitions.fixed.propDefinition[0] = app;"#;

#[rstest]
#[tokio::test]
async fn in_the_options_of_an_app_this_is_the_app_and_the_input_joins_the_argument(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        APP,
        "props: { app, owner: 'string',
            p: { propDefinition: [app, 'repo', (c) => ({ owner: c.owner, more: typeof c.app.list })] },
            q: { propDefinition: [app, 'fixed', async () => ({ more: 2 })] } }, run() {}",
    );
    let api = new_user().await;
    let saved = save(&api, &code).await;
    let picked = json!({ "configured_props": { "owner": { "__lv": { "label": "Me", "value": "me" } } }, "page": 1 });
    let answer = ask_options(&api, &saved["id"], "p", picked)
        .await
        .expect(200);
    assert_eq!(
        answer["stringOptions"],
        json!(["me/one", "no key", "1", "function"])
    );
    let answer = ask_options(&api, &saved["id"], "q", json!({}))
        .await
        .expect(200);
    assert_eq!(
        answer["stringOptions"],
        json!(["fixed/one", "no key", "0", "2"])
    );
}

#[tokio::test]
async fn in_options_of_its_own_this_is_the_component_with_the_values_so_far() {
    let code = component(
        "props: { a: 'string', b: { type: 'integer', default: 5 }, c: 'string', p: { type: 'string', options() { return [this.join(), String(this.c), typeof this.db.get]; } }, db: '$.service.db' },
         methods: { join() { return this.a + this.b; } }, run() {}",
    );
    let api = new_user().await;
    let saved = save(&api, &code).await;
    let answer = ask_options(
        &api,
        &saved["id"],
        "p",
        json!({ "configured_props": { "a": "x" } }),
    )
    .await
    .expect(200);
    assert_eq!(
        answer["stringOptions"],
        json!(["x5", "undefined", "function"])
    );
}

#[tokio::test]
async fn what_the_component_throws_is_part_of_the_answer() {
    let answer = page(
        &new_user().await,
        "p: { type: 'string', async options() { console.log('before'); throw new RangeError('no such thing'); } }",
        json!({}),
    )
    .await;
    assert_eq!(
        [&answer["options"], &answer["stringOptions"]],
        [&json!(null), &json!(null)]
    );
    let errors = errors(&answer);
    assert_eq!(
        [&errors[0]["name"], &errors[0]["message"]],
        ["RangeError", "no such thing"]
    );
    assert_eq!(answer["observations"][0]["msg"], "before");
    assert_eq!(answer["observations"][1]["err"]["message"], "no such thing");
}

#[tokio::test]
async fn what_is_no_list_of_options_is_an_error() {
    for (gives, error) in [
        ("return 5", "InvalidOptions"),
        (
            "return [JSON.parse('['.repeat(500) + ']'.repeat(500))]",
            "InvalidOptions",
        ),
        ("return 1n", "TypeError"),
        ("process.exit(3)", "ProcessDied"),
        ("return ['x'.repeat(20e6)]", "AnswerTooLarge"),
    ] {
        let props = format!("p: {{ type: 'string', options() {{ {gives}; }} }}");
        let answer = page(&new_user().await, &props, json!({})).await;
        assert_eq!(errors(&answer)[0]["name"], error, "{gives}: {answer}");
    }
}

#[tokio::test]
async fn an_sql_prop_tells_the_schema_of_its_app() {
    let code = Form::EsModule.module(
        "const app = { type: 'app', app: 'pg', methods: { async getSchema() { return { users: { schema: {} } }; } } };",
        "props: { app, p: { type: 'sql', auth: { app: 'pg' } }, q: { type: 'sql', auth: { app: 'other' } } }, run() {}",
    );
    let api = new_user().await;
    let saved = save(&api, &code).await;
    let answer = ask_options(&api, &saved["id"], "p", json!({}))
        .await
        .expect(200);
    assert_eq!(
        answer["context"],
        json!({ "dbInfo": { "users": { "schema": {} } } })
    );
    ask_options(&api, &saved["id"], "q", json!({}))
        .await
        .expect(422);
}

#[tokio::test]
async fn a_component_is_named_by_id_or_key_ones_own_or_published() {
    let operator = shared_server(Backend::Sqlite).api();
    let key = format!("test-{}", unique_name());
    let code = component(&format!(
        "key: '{key}', props: {{ p: {{ type: 'string', options() {{ return ['x']; }} }} }}, run() {{}}"
    ));
    let id = save(&operator, &code).await["id"].clone();
    let stranger = new_user().await;
    for name in [&id, &json!(key)] {
        let own = ask_options(&operator, name, "p", json!({})).await;
        assert_eq!(own.expect(200)["stringOptions"], json!(["x"]));
        ask_options(&stranger, name, "p", json!({}))
            .await
            .expect(404);
    }
    operator
        .post("/components/registry", &json!({ "component_id": id }))
        .await
        .ok();
    for name in [&id, &json!(key)] {
        ask_options(&stranger, name, "p", json!({}))
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let api = new_user().await;
    let code = component(
        "props: { p: { type: 'string', options() { return []; } }, plain: 'string', fixed: { type: 'string', options: ['a'] } }, run() {}",
    );
    let id = save(&api, &code).await["id"].clone();
    for prop in ["plain", "fixed", "unknown", "toString", "__proto__"] {
        ask_options(&api, &id, prop, json!({})).await.expect(422);
    }
    for unknown in ["sc_unknown", "no-such-key", ""] {
        ask_options(&api, &json!(unknown), "p", json!({}))
            .await
            .expect(404);
    }
    for (more, status) in [
        (json!({ "prop_name": null }), 400),
        (json!({ "id": 5 }), 400),
        (json!({ "page": -1 }), 400),
        (json!({ "page": "first" }), 400),
        (json!({ "query": 5 }), 400),
        (json!({ "configured_props": [] }), 400),
        (json!({ "dynamic_props_id": "dyp_unknown" }), 404),
        (json!({ "dynamic_props_id": "nonsense" }), 404),
        (json!({ "source_id": "dc_unknown" }), 404),
        (json!({ "source_id": "nonsense" }), 404),
    ] {
        let answer = ask_options(&api, &id, "p", more.clone()).await;
        assert_eq!(answer.status, status, "{more}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_source_supplies_the_secrets_that_its_form_sends_back_masked() {
    let api = new_user().await;
    let code = component(
        "props: { key: { type: 'string', secret: true }, p: { type: 'string', optional: true, options() { return [this.key, process.env.PD_COMPONENT ?? 'none']; } } }, run() {}",
    );
    let source = deploy_with(&api, &code, json!({ "key": "hush" })).await;
    let id = &source.source["component_id"];
    let values = source.source["configured_props"].clone();
    let more = json!({ "configured_props": values, "source_id": source.id });
    let answer = ask_options(&api, id, "p", more.clone()).await.expect(200);
    assert_eq!(answer["stringOptions"], json!(["hush", source.id]));
    let stranger = new_user().await;
    ask_options(&stranger, id, "p", more).await.expect(404);
}

#[tokio::test]
async fn a_question_counts_as_an_invocation() {
    let api = new_user().await;
    page(
        &api,
        "p: { type: 'string', options() { return ['a']; } }",
        json!({}),
    )
    .await;
    let me = api.get("/users/me").await.ok();
    assert_eq!(me["daily_invocations_used"], 1, "{me}");
}

#[tokio::test]
async fn a_method_that_takes_too_long_is_stopped() {
    let server = Server::start(own_server().arg("--invocation-timeout").arg("1s")).await;
    for body in ["return new Promise(() => {})", "for (;;) {}"] {
        let props = format!("p: {{ type: 'string', options() {{ {body}; }} }}");
        let answer = page(&server.api(), &props, json!({})).await;
        assert_eq!(errors(&answer)[0]["name"], "Timeout", "{body}: {answer}");
    }
}
