//! `POST /components/props`: the props that depend on values of others.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use super::{Form, ask_options, ask_props, component, errors, save};
use crate::support::{new_user, new_user_on};

const ITEMS: &str = "props: { kind: { type: 'string', reloadProps: true }, last: 'string' },
    methods: { word() { return this.kind; } },
    async additionalProps() {
        if (!this.kind) return {};
        return { size: { type: 'integer', label: `Size of ${this.word()}`, max: 9 }, color: { type: 'string', optional: true, options({ page }) { return [`${this.kind} ${page}`]; } } };
    }, run() {}";

fn names(answer: &Value) -> Vec<&str> {
    let rows = answer["dynamicProps"]["configurableProps"].as_array();
    let rows = rows.expect("rows").iter();
    rows.map(|row| row["name"].as_str().expect("a name"))
        .collect()
}

#[rstest]
#[tokio::test]
async fn they_are_declared_for_the_values_so_far_after_the_others(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let id = save(&api, &form.module("", ITEMS)).await["id"].clone();
    let none = ask_props(&api, &id, json!({})).await.expect(200);
    assert_eq!(names(&none), ["kind", "last"]);
    let values = json!({ "configured_props": { "kind": "box" } });
    let some = ask_props(&api, &id, values).await.expect(200);
    let snapshot = some["dynamicProps"]["id"].as_str().expect("an id");
    assert!(snapshot.starts_with("dyp_"), "{snapshot}");
    assert_eq!(
        some["dynamicProps"]["configurableProps"],
        json!([
            { "name": "kind", "type": "string", "reloadProps": true },
            { "name": "last", "type": "string" },
            { "name": "size", "type": "integer", "label": "Size of box", "max": 9 },
            { "name": "color", "type": "string", "optional": true, "remoteOptions": true },
        ])
    );
    assert_eq!(
        [&some["errors"], &some["observations"]],
        [&json!([]), &json!([])]
    );
}

#[tokio::test]
async fn a_prop_that_exists_only_there_can_have_options() {
    let api = new_user().await;
    let id = save(&api, &component(ITEMS)).await["id"].clone();
    let values = json!({ "configured_props": { "kind": "box" }, "page": 3 });
    let answer = ask_options(&api, &id, "color", values.clone()).await;
    assert_eq!(answer.expect(200)["stringOptions"], json!(["box 3"]));
    ask_options(&api, &id, "size", values).await.expect(422);
    ask_options(&api, &id, "color", json!({})).await.expect(422);
}

#[tokio::test]
async fn earlier_definitions_can_be_changed_and_returned() {
    let api = new_user().await;
    let returned = component(
        "props: { show: { type: 'boolean', reloadProps: true }, text: { type: 'string', hidden: true }, db: '$.service.db' },
         additionalProps(previous) { previous.text.hidden = !this.show; return previous; }, run() {}",
    );
    let changed = returned.replace("return previous;", "return { more: 'string' };");
    let more = json!({ "name": "more", "type": "string" });
    for (code, added) in [(returned, None), (changed, Some(more))] {
        let id = save(&api, &code).await["id"].clone();
        let mut before = json!(null);
        for show in [true, true, false] {
            let values =
                json!({ "configured_props": { "show": show }, "dynamic_props_id": before });
            let answer = ask_props(&api, &id, values).await.expect(200);
            let mut expected = vec![
                json!({ "name": "show", "type": "boolean", "reloadProps": true }),
                json!({ "name": "text", "type": "string", "hidden": !show }),
                json!({ "name": "db", "type": "$.service.db" }),
            ];
            expected.extend(added.clone());
            assert_eq!(answer["dynamicProps"]["configurableProps"], json!(expected));
            before = answer["dynamicProps"]["id"].clone();
        }
    }
}

#[tokio::test]
async fn what_was_declared_last_is_known_the_next_time() {
    let api = new_user().await;
    let code = component(
        "props: { n: 'integer' }, additionalProps(previous) {
            const props = {}; for (let i = 0; i < this.n; i++) props[`p${i}`] = previous[`p${i}`] ?? { type: 'string', label: `made for ${this.n}` };
            return props; }, run() {}",
    );
    let id = save(&api, &code).await["id"].clone();
    let first = ask_props(&api, &id, json!({ "configured_props": { "n": 2 } }))
        .await
        .expect(200);
    let more =
        json!({ "configured_props": { "n": 3 }, "dynamic_props_id": first["dynamicProps"]["id"] });
    let second = ask_props(&api, &id, more).await.expect(200);
    let rows = second["dynamicProps"]["configurableProps"]
        .as_array()
        .expect("rows");
    let labels: Vec<_> = rows[1..].iter().map(|row| &row["label"]).collect();
    assert_eq!(labels, ["made for 2", "made for 2", "made for 3"]);
    assert_ne!(first["dynamicProps"]["id"], second["dynamicProps"]["id"]);
}

#[tokio::test]
async fn they_may_inherit_from_an_app_and_be_interfaces() {
    let api = new_user().await;
    let code = Form::EsModule.module(
        "const app = { type: 'app', app: 'x', propDefinitions: { repo: { type: 'string', label: 'Repo', options() { return ['r']; } } } };",
        "props: { app }, additionalProps() { return { repo: { propDefinition: [app, 'repo'], optional: true }, odd: { propDefinition: [app, 'gone'] }, http: '$.interface.http' }; }, run() {}",
    );
    let id = save(&api, &code).await["id"].clone();
    let answer = ask_props(&api, &id, json!({})).await.expect(200);
    let rows = answer["dynamicProps"]["configurableProps"]
        .as_array()
        .expect("rows");
    assert_eq!(
        rows[1..],
        [
            json!({ "name": "repo", "type": "string", "label": "Repo", "remoteOptions": true, "optional": true }),
            json!({ "name": "odd", "type": "any" }),
            json!({ "name": "http", "type": "$.interface.http" }),
        ]
    );
    assert_eq!(answer["observations"][0]["k"], "warning");
    let options = ask_options(&api, &id, "repo", json!({})).await.expect(200);
    assert_eq!(options["stringOptions"], json!(["r"]));
}

#[tokio::test]
async fn what_is_thrown_and_what_is_wrong_is_part_of_the_answer() {
    let api = new_user().await;
    for (body, error) in [
        (
            "console.log('before'); throw new TypeError('not yet')",
            "not yet",
        ),
        (
            "return { a: 'nonsense' }",
            "prop a: unknown type \"nonsense\"",
        ),
    ] {
        let code = component(&format!("additionalProps() {{ {body}; }}, run() {{}}"));
        let id = save(&api, &code).await["id"].clone();
        let answer = ask_props(&api, &id, json!({})).await.expect(200);
        assert_eq!(answer["dynamicProps"], json!(null));
        assert_eq!(errors(&answer)[0]["message"], error);
    }
}

#[tokio::test]
async fn a_prop_that_is_declared_wrongly_has_a_code() {
    let api = new_user().await;
    let code = component("additionalProps() { return { a: 'nonsense' }; }, run() {}");
    let id = save(&api, &code).await["id"].clone();
    let answer = ask_props(&api, &id, json!({})).await.expect(200);
    let error = &errors(&answer)[0];
    assert_eq!(
        [&error["prop"], &error["code"]],
        ["a", "invalid_declaration"],
        "{answer}"
    );
    let body = json!({ "component_id": id });
    let refused = api.post("/sources", &body).await.expect(422);
    let message = "prop a: unknown type \"nonsense\"";
    assert_eq!(
        refused["details"]["props"],
        json!([{ "prop": "a", "code": "invalid_declaration", "message": message }])
    );
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() {
    let api = new_user().await;
    let id = save(&api, &component(ITEMS)).await["id"].clone();
    let plain = save(&api, &component("run() {}")).await["id"].clone();
    ask_props(&api, &plain, json!({})).await.expect(422);
    ask_props(&api, &json!("sc_unknown"), json!({}))
        .await
        .expect(404);
    ask_props(&api, &json!(null), json!({})).await.expect(400);
    let answer = ask_props(&api, &id, json!({})).await.expect(200);
    let snapshot = json!({ "dynamic_props_id": answer["dynamicProps"]["id"] });
    let stranger = new_user().await;
    let theirs = save(&stranger, &component(ITEMS)).await["id"].clone();
    ask_props(&stranger, &theirs, snapshot.clone())
        .await
        .expect(404);
    let other = save(&api, &component(ITEMS)).await["id"].clone();
    ask_props(&api, &other, snapshot).await.expect(422);
}
