//! HTTP sources: what they read of a request, and how they answer it.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Answer, Method};

use super::stage::user;
use crate::support::{Deployed, Form, deploy};

async fn post(source: &Deployed, media_type: &str, body: &str) -> Answer {
    let request = source.api.absolute(Method::POST, source.endpoint());
    request
        .header("Content-Type", media_type)
        .header("X-Shop-Topic", "Paid")
        .body(body.to_owned())
        .send()
        .await
}

#[rstest]
#[tokio::test]
async fn point_06_headers_are_lower_case_forms_are_flat_and_the_raw_body_is_exact(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "",
        "props: { http: '$.interface.http' }, run({ headers, body, bodyRaw }) {
            this.$emit({ topic: headers['x-shop-topic'], mixed: headers['X-Shop-Topic'] ?? null, body, bodyRaw });
         }",
    );
    let source = deploy(&user().await, &code).await;
    for (media_type, raw, body) in [
        (
            "application/x-www-form-urlencoded",
            "contact[id]=5&contact%5Bname%5D=A+b&contact[id]=6",
            json!({ "contact[id]": ["5", "6"], "contact[name]": "A b" }),
        ),
        (
            "application/json; charset=utf-8",
            "{ \"a\" : 1 }",
            json!({ "a": 1 }),
        ),
        ("application/xml", "<a>\n <b/></a>", json!("<a>\n <b/></a>")),
        ("application/vnd.unheard-of", "\tx ", json!("\tx ")),
    ] {
        let before = source.summaries().await.len();
        post(&source, media_type, raw).await.expect(200);
        let seen = source.events(before + 1).await.pop().expect("an event");
        let expected = json!({ "topic": "Paid", "mixed": null, "body": body, "bodyRaw": raw });
        assert_eq!(seen, expected, "{media_type}");
    }
}

/// Each line is how some component answers, with what the client then gets.
const ANSWERS: [(&str, u16, &str); 7] = [
    ("{ status: 201, body: 'number' }", 201, "number"),
    ("{ status: '202', body: 'text' }", 202, "text"),
    ("{ statusCode: 203, body: 'other name' }", 203, "other name"),
    ("{ status: 200 }", 200, ""),
    ("{ status: 200, body: { ok: true } }", 200, "{\"ok\":true}"),
    (
        "{ status: 200, body: Buffer.from('bytes'), headers: { 'Content-Type': 'text/plain' } }",
        200,
        "bytes",
    ),
    ("{ status: 404, body: null }", 404, ""),
];

#[rstest]
#[tokio::test]
async fn point_07_a_source_answers_in_any_spelling_before_or_after_it_emits(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let answers: Vec<&str> = ANSWERS.iter().map(|(answer, _, _)| *answer).collect();
    let code = form.module(
        &format!("const answers = [{}];", answers.join(", ")),
        "props: { http: { type: '$.interface.http', customResponse: true } }, async run({ body: { number, first } }) {
            if (first) this.$emit('before');
            this.http.respond(answers[number]);
            if (!first) this.$emit('after');
            this.http.respond({ status: 500, body: 'too late' });
         }",
    );
    let source = deploy(&user().await, &code).await;
    for (number, (answer, status, text)) in ANSWERS.into_iter().enumerate() {
        let body = json!({ "number": number, "first": number % 2 == 0 });
        let got = source.send(&body).await;
        assert_eq!((got.status, got.text.as_str()), (status, text), "{answer}");
    }
    let events = source.events(ANSWERS.len()).await;
    assert_eq!(events[0..2], ["before", "after"]);
}

#[rstest]
#[tokio::test]
async fn point_07_a_source_that_never_answers_has_its_clients_answered_at_once(
    #[values(Form::CommonJs, Form::EsModule)] form: Form,
) {
    let code = form.module(
        "",
        "props: { http: '$.interface.http' }, run(event) { this.$emit([event.method, event.path, event.query, this.http.endpoint]); }",
    );
    let source = deploy(&user().await, &code).await;
    let url = format!("{}/some/path?a=1&b=", source.endpoint());
    let answer = source.api.absolute(Method::PUT, &url).send().await;
    assert!(answer.expect(200)["id"].is_string());
    let seen: [Value; 1] = [json!(["PUT", "/some/path", { "a": "1", "b": "" }, source.endpoint()])];
    assert_eq!(source.events(1).await, seen);
}
