//! Multipart requests: fields, and files that the component can read and anyone with their address can fetch.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Backend, Method};

use super::responder;
use crate::support::{Deployed, deploy, new_user, new_user_on};

const READ_FILES: &str = "const fs = require('fs');
    const read = (file) => ({ ...file, content: fs.readFileSync(file.path).toString('hex'), inTmp: file.path.startsWith(require('os').tmpdir()) });
    const body = Object.fromEntries(Object.entries(event.body).map(([name, part]) =>
        [name, Array.isArray(part) ? part.map((one) => one.path ? read(one) : one) : part.path ? read(part) : part]));
    this.http.respond({ status: 200, body });";

async fn post(source: &Deployed, parts: &[&[u8]]) -> Value {
    let mut body = Vec::new();
    for part in parts {
        body.extend_from_slice(b"--cut\r\nContent-Disposition: form-data; ");
        body.extend_from_slice(part);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--cut--\r\n");
    let request = source
        .api
        .absolute(Method::POST, source.endpoint())
        .body(body);
    request
        .header("content-type", "multipart/form-data; boundary=cut")
        .send()
        .await
        .expect(200)
}

#[rstest]
#[tokio::test]
async fn files_are_readable_at_their_path_and_fetchable_at_their_url(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = deploy(&new_user_on(backend).await, &responder(READ_FILES)).await;
    let form = post(
        &source,
        &[
            b"name=\"title\"\r\n\r\nA photo",
            b"name=\"photo\"; filename=\"cat.png\"\r\nContent-Type: image/png\r\n\r\n\xff\x00\xfe",
        ],
    )
    .await;
    assert_eq!(form["title"], "A photo");
    let photo = &form["photo"];
    assert_eq!(
        [&photo["filename"], &photo["mimetype"], &photo["content"]],
        ["cat.png", "image/png", "ff00fe"]
    );
    assert_eq!((&photo["size"], &photo["inTmp"]), (&json!(3), &json!(true)));
    let fetched = source
        .api
        .absolute(Method::GET, photo["url"].as_str().expect("a url"))
        .send()
        .await;
    assert_eq!(
        (fetched.status, &fetched.bytes[..]),
        (200, &b"\xff\x00\xfe"[..])
    );
}

#[tokio::test]
async fn a_repeated_part_is_an_array_and_an_empty_file_is_a_file() {
    let source = deploy(&new_user().await, &responder(READ_FILES)).await;
    let form = post(
        &source,
        &[
            b"name=\"tag\"\r\n\r\na",
            b"name=\"tag\"\r\n\r\nb",
            b"name=\"f\"; filename=\"1.txt\"\r\n\r\none",
            b"name=\"f\"; filename=\"1.txt\"\r\n\r\n",
        ],
    )
    .await;
    assert_eq!(form["tag"], json!(["a", "b"]));
    assert_eq!(
        [&form["f"][0]["content"], &form["f"][1]["content"]],
        ["6f6e65", ""]
    );
    assert_eq!(form["f"][1]["size"], 0);
}

#[tokio::test]
async fn a_hostile_file_name_stays_inside_the_component_s_folder() {
    let source = deploy(&new_user().await, &responder(READ_FILES)).await;
    for name in [
        "../../../../etc/cron.d/x",
        "/etc/passwd",
        "..",
        "a\\\\..\\\\b",
        ".",
        "$tmp:x/y",
        "é 🦀.txt",
    ] {
        let part = format!("name=\"f\"; filename=\"{name}\"\r\n\r\nx");
        let form = post(&source, &[part.as_bytes()]).await;
        assert_eq!(
            (&form["f"]["content"], &form["f"]["inTmp"]),
            (&json!("78"), &json!(true)),
            "{name}: {form}"
        );
        assert!(
            !form["f"]["path"]
                .as_str()
                .is_none_or(|path| path.contains("..")),
            "{form}"
        );
    }
}

#[tokio::test]
async fn a_body_that_is_no_multipart_form_stays_a_string() {
    let source = deploy(
        &new_user().await,
        &responder("this.http.respond({ status: 200, body: { body: event.body } });"),
    )
    .await;
    for (content_type, body) in [
        ("multipart/form-data", "x"),
        ("multipart/form-data; boundary=cut", "nothing of the kind"),
    ] {
        let request = source
            .api
            .absolute(Method::POST, source.endpoint())
            .header("content-type", content_type);
        assert_eq!(
            request.body(body).send().await.expect(200),
            json!({ "body": body }),
            "{content_type}"
        );
    }
}

#[tokio::test]
async fn text_in_an_event_that_looks_like_a_file_mark_is_left_alone() {
    let source = deploy(
        &new_user().await,
        &responder("this.http.respond({ status: 200, body: { body: event.body } });"),
    )
    .await;
    let text = "$tmp:abc/def \"$tmp:\"";
    assert_eq!(
        source.send(&json!(text)).await.expect(200),
        json!({ "body": text })
    );
}
