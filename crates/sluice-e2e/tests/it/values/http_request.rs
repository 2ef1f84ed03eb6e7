//! `http_request` props: a request that is configured, read and sent.

use serde_json::{Value, json};
use sluice_testkit::Api;

use super::{faults, with_props};
use crate::support::{Deployed, deploy, deploy_with, new_user, own_server, user_of_shared};

/// A new user of a server whose components may reach it.
async fn open_user() -> Api {
    user_of_shared("private network", || {
        own_server().arg("--allow-private-network")
    })
    .await
}

/// A source that tells what it was sent, with the status and the text that its query asks for.
async fn witness(api: &Api) -> Deployed {
    let code = "module.exports = { name: 'Witness', version: '1', props: { http: { type: '$.interface.http', customResponse: true } }, run(event) {
        const { method, path, query, headers, bodyRaw, body } = event; const { authorization, 'content-type': type, 'x-a': a } = headers;
        this.http.respond({ status: query.status ?? 200, headers: { 'x-answer': 'yes' }, body: query.text ?? { method, path, query, authorization, type: type?.split(';')[0], a, bodyRaw: typeof body === 'string' ? bodyRaw : undefined, body } }); } };";
    deploy(api, code).await
}

/// What the witness was sent by a request with these fields beside its url.
async fn sent(api: &Api, fields: Value) -> Value {
    let witness = witness(api).await;
    let mut request = fields;
    request["url"] = json!(format!("{}/path?own=1", witness.endpoint()));
    let code = with_props(
        "request: 'http_request'",
        "this.$emit((await this.request.execute()).data);",
    );
    let source = deploy_with(api, &code, json!({ "request": request })).await;
    source.run(json!({})).await;
    source.events(1).await.remove(0)
}

#[tokio::test]
async fn method_headers_parameters_and_authentication_are_sent_as_lists_or_objects() {
    let api = open_user().await;
    let lists = json!({
        "method": "get", "headers": [{ "name": "X-A", "value": "1" }, { "name": "", "value": "" }], "params": [{ "name": "p", "value": "ä &" }],
        "auth": { "type": "basic", "username": "me", "password": "pässword" }, "body": "ignored",
    });
    let seen = sent(&api, lists).await;
    assert_eq!(seen["method"], "GET");
    assert_eq!(seen["path"], "/path");
    assert_eq!(seen["query"], json!({ "own": "1", "p": "ä &" }));
    assert_eq!(seen["a"], "1");
    assert_eq!(seen["authorization"], "Basic bWU6cMOkc3N3b3Jk");

    let objects = json!({ "method": "DELETE", "headers": { "X-A": 2 }, "params": { "p": 5 }, "auth": { "type": "bearer", "token": "t" } });
    let seen = sent(&api, objects).await;
    assert_eq!(seen["method"], "DELETE");
    assert_eq!(seen["query"], json!({ "own": "1", "p": "5" }));
    assert_eq!(
        (&seen["a"], &seen["authorization"]),
        (&json!("2"), &json!("Bearer t"))
    );
}

#[tokio::test]
async fn a_body_is_sent_in_each_of_its_forms() {
    let api = open_user().await;
    let fields = json!([{ "name": "a", "value": "1" }, { "name": "b", "value": "ä" }]);
    let (json_type, form_type) = ("application/json", "application/x-www-form-urlencoded");
    let both = json!({ "a": "1", "b": "ä" });
    for (body, content_type, received) in [
        (json!("plain"), json!("text/plain"), json!("plain")),
        (json!("{\"x\":1}"), json!(json_type), json!({ "x": 1 })),
        (json!({ "x": [1] }), json!(json_type), json!({ "x": [1] })),
        (
            json!({ "mode": "raw", "contentType": json_type, "raw": "{\"x\":2}" }),
            json!(json_type),
            json!({ "x": 2 }),
        ),
        (
            json!({ "type": "raw", "contentType": "text/x", "raw": "raw" }),
            json!("text/x"),
            json!("raw"),
        ),
        (
            json!({ "mode": "fields", "contentType": json_type, "fields": fields }),
            json!(json_type),
            both.clone(),
        ),
        (
            json!({ "type": "fields", "contentType": form_type, "fields": fields }),
            json!(form_type),
            both.clone(),
        ),
        (
            json!({ "contentType": "multipart/form-data", "fields": fields }),
            json!("multipart/form-data"),
            both,
        ),
        (Value::Null, Value::Null, json!("")),
    ] {
        let seen = sent(&api, json!({ "method": "POST", "body": body })).await;
        assert_eq!(seen["type"], content_type, "{body}");
        assert_eq!(seen["body"], received, "{body}");
    }
}

#[tokio::test]
async fn the_answer_is_parsed_and_one_that_is_no_success_is_thrown_with_its_response() {
    let api = open_user().await;
    let witness = witness(&api).await;
    let code = with_props(
        "request: 'http_request'",
        "const told = ({ status, data, headers }) => ({ status, data: data ?? 'nothing', header: headers['x-answer'] });
         try { this.$emit(told(await this.request.execute())); } catch ({ message, response }) { this.$emit({ message: message.replace(/http\\S+/, 'URL'), ...told(response) }); }",
    );
    for (query, expected) in [
        (
            "text=hello",
            json!({ "status": 200, "data": "hello", "header": "yes" }),
        ),
        (
            "status=201&text=[1]",
            json!({ "status": 201, "data": [1], "header": "yes" }),
        ),
        (
            "text=",
            json!({ "status": 200, "data": "nothing", "header": "yes" }),
        ),
        (
            "status=404&text=no",
            json!({ "message": "GET URL answered 404", "status": 404, "data": "no", "header": "yes" }),
        ),
        (
            "status=500&text={}",
            json!({ "message": "GET URL answered 500", "status": 500, "data": {}, "header": "yes" }),
        ),
    ] {
        let url = format!("{}?{query}", witness.endpoint());
        let source = deploy_with(&api, &code, json!({ "request": { "url": url } })).await;
        source.run(json!({})).await;
        assert_eq!(source.events(1).await, [expected], "{query}");
    }
}

#[tokio::test]
async fn the_fields_of_a_request_are_read_like_any_value() {
    let request = json!({ "url": "https://example.com/", "method": "POST", "headers": [{ "name": "a", "value": "b" }], "body": "x" });
    let code = with_props(
        "request: 'http_request'",
        "this.$emit({ ...this.request });",
    );
    let source = deploy_with(&new_user().await, &code, json!({ "request": request })).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [request]);
}

#[tokio::test]
async fn a_request_is_sent_from_inside_the_sandbox() {
    let code = with_props(
        "request: 'http_request'",
        "await this.request.execute().catch((error) => this.$emit(/NotCapable|Requires net access/.test(`${error.name} ${error.message} ${error.cause}`) ? 'refused' : `${error}`));",
    );
    let given = json!({ "request": { "url": "http://127.0.0.1:2999/" } });
    let source = deploy_with(&new_user().await, &code, given).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await, [json!("refused")]);
}

#[tokio::test]
async fn a_request_without_a_url_or_with_an_unknown_method_is_refused() {
    let api = new_user().await;
    for (given, fault) in [
        (json!({ "method": "GET" }), "r must have a url"),
        (
            json!({ "url": "example.com" }),
            "r must have a url that begins with http:// or https://",
        ),
        (
            json!({ "url": "http://x", "method": "BREW" }),
            "r must have a method of GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS",
        ),
        (json!("text"), "r must be an object with a url"),
    ] {
        let refused = faults(&api, "r: 'http_request'", json!({ "r": given })).await;
        assert_eq!(refused, json!([fault]));
    }
}
