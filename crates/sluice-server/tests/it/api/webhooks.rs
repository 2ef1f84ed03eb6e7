//! `/webhooks`: addresses to deliver to, and their secrets.

use serde_json::{Value, json};
use sluice_testkit::{Answer, Api, Method};

use super::fixtures::{all_pages, escaped, field_names, page, refused, text};
use crate::support::{new_user, server};

const PATH: &str = "/webhooks";
const LIST: &str = "/users/me/webhooks";
const URL: &str = "https://example.com/hook";

async fn create(api: &Api, body: &Value) -> Value {
    api.post(PATH, body).await.ok()
}

fn path(webhook: &Value) -> String {
    format!("{PATH}/{}", text(&webhook["id"]))
}

/// What later answers show of a webhook.
fn without_secret(webhook: &Value) -> Value {
    let mut shown = webhook.clone();
    let fields = shown.as_object_mut().expect("an object");
    fields.shift_remove("signing_secret");
    shown
}

async fn rotate(api: &Api, webhook: &Value) -> Answer {
    let path = format!("{}/rotate_secret", path(webhook));
    api.request(Method::POST, &path).send().await
}

#[tokio::test]
async fn a_webhook_is_created_with_a_secret_that_is_shown_once() {
    let api = new_user().await;
    let made = create(&api, &json!({ "url": URL })).await;
    assert_eq!(
        field_names(&made),
        [
            "id",
            "user_id",
            "name",
            "description",
            "url",
            "active",
            "concurrency",
            "health",
            "created_at",
            "updated_at",
            "signing_secret",
        ]
    );
    assert!(text(&made["id"]).starts_with("wh_"));
    assert_eq!(made["user_id"], api.get("/users/me").await.ok()["id"]);
    assert_eq!(made["name"], Value::Null);
    assert_eq!(made["description"], Value::Null);
    assert_eq!(made["url"], URL);
    assert_eq!(made["active"], true);
    assert_eq!(made["concurrency"], 1);
    assert!(made["created_at"].is_i64() && made["updated_at"].is_i64());
    let secret = text(&made["signing_secret"]);
    let encoded = secret.strip_prefix("whsec_").expect("the prefix");
    // 24 bytes in base64.
    assert_eq!(encoded.len(), 32);
    assert!(!encoded.contains('='));

    let shown = without_secret(&made);
    assert_eq!(api.get(&path(&made)).await.ok(), shown);
    let mut listed = shown.clone();
    listed
        .as_object_mut()
        .expect("an object")
        .shift_remove("user_id");
    assert_eq!(page(&api, LIST).await.rows, [listed]);
    let update = api.put(&path(&made), &json!({ "name": "x" })).await.ok();
    assert_eq!(update.get("signing_secret"), None);
    let other = create(&api, &json!({ "url": URL })).await;
    assert_ne!(other["signing_secret"], made["signing_secret"]);
}

#[tokio::test]
async fn parameters_come_in_the_query_string_or_the_body() {
    let api = new_user().await;
    let query = format!(
        "{PATH}?url={}&name=a%20b&description=c&concurrency=8&include=url,name,description,concurrency",
        escaped(URL)
    );
    let expected = json!({ "name": "a b", "description": "c", "url": URL, "concurrency": 8 });
    for request in [
        api.request(Method::POST, &query),
        api.request(Method::POST, &query)
            .header("Content-Type", "application/json"),
        api.request(Method::POST, &query).json(&json!({})),
    ] {
        assert_eq!(request.send().await.ok(), expected);
    }
    let both = json!({ "name": "body" });
    assert_eq!(api.post(&query, &both).await.ok()["name"], "body");
}

#[tokio::test]
async fn urls_need_http_or_https_and_a_hostname_and_are_kept_as_they_were_sent() {
    let api = new_user().await;
    for url in [
        "http://example.com",
        "HTTPS://EXAMPLE.com:8443/A/b%20c?d=e&f=#g",
        "http://localhost:1/",
        "http://127.0.0.1",
        "http://169.254.169.254/latest",
        "http://[::1]:8080/",
        "https://user:pass@example.com",
    ] {
        assert_eq!(create(&api, &json!({ "url": url })).await["url"], url);
    }
    let webhook = create(&api, &json!({ "url": URL })).await;
    let too_long = format!("http://example.com/{}", "x".repeat(2_048));
    for (url, words) in [
        ("", "http:// or https://"),
        ("example.com", "http:// or https://"),
        ("//example.com", "http:// or https://"),
        ("ftp://example.com", "http:// or https://"),
        ("javascript:alert(1)", "http:// or https://"),
        ("http:example.com", "http:// or https://"),
        ("http://", "hostname"),
        ("http:///path", "hostname"),
        ("https://:443/", "host"),
        ("http://exa mple.com", "spaces"),
        (" http://example.com", "spaces"),
        ("http://example.com\n", "spaces"),
        ("http://example.com:99999", "port"),
        (&too_long, "2048"),
        ("http://example.com/\0", "NUL"),
    ] {
        let body = json!({ "url": url });
        let error = refused(api.post(PATH, &body).await, 400);
        assert!(error.contains(words), "{url}: {error}");
        let error = refused(api.put(&path(&webhook), &body).await, 400);
        assert!(error.contains(words), "{url}: {error}");
    }
    for body in [json!({}), json!({ "url": null })] {
        let error = refused(api.post(PATH, &body).await, 400);
        assert_eq!(error, "url is required");
    }
    refused(api.post(PATH, &json!({ "url": 5 })).await, 400);
}

#[tokio::test]
async fn concurrency_is_from_1_to_64() {
    let api = new_user().await;
    for concurrency in [1, 2, 64] {
        let body = json!({ "url": URL, "concurrency": concurrency });
        assert_eq!(create(&api, &body).await["concurrency"], concurrency);
    }
    let webhook = create(&api, &json!({ "url": URL })).await;
    for concurrency in [
        json!(0),
        json!(65),
        json!(-1),
        json!(1.5),
        json!("2"),
        json!(1e12),
    ] {
        let body = json!({ "url": URL, "concurrency": concurrency });
        let error = refused(api.post(PATH, &body).await, 400);
        assert!(error.starts_with("concurrency"), "{error}");
        refused(api.put(&path(&webhook), &body).await, 400);
    }
}

#[tokio::test]
async fn the_list_pages_newest_first() {
    let api = new_user().await;
    assert!(page(&api, LIST).await.rows.is_empty());
    let mut ids = Vec::new();
    for _ in 0..12 {
        ids.push(create(&api, &json!({ "url": URL })).await["id"].clone());
        // Order is told by the millisecond.
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    ids.reverse();
    let first = page(&api, LIST).await;
    assert_eq!(first.each("id"), ids[..10]);
    assert_eq!(first.info["total_count"], 12);
    let pages = all_pages(&api, &format!("{LIST}?limit=5")).await;
    let ids_in_pages: Vec<_> = pages.iter().flat_map(|page| page.each("id")).collect();
    assert_eq!(ids_in_pages, ids);
    let cursor = pages[2].start_cursor();
    let before = page(&api, &format!("{LIST}?limit=5&before={cursor}")).await;
    assert_eq!(before.each("id"), ids[5..10]);
    refused(api.get(&format!("{LIST}?after=nonsense")).await, 400);
    let narrow = page(&api, &format!("{LIST}?include=id&limit=1")).await;
    assert_eq!(narrow.rows, [json!({ "id": ids[0] })]);
}

#[tokio::test]
async fn an_update_keeps_what_it_leaves_out_and_null_removes() {
    let api = new_user().await;
    let body = json!({ "url": URL, "name": "n", "description": "d", "concurrency": 3 });
    let mut expected = without_secret(&create(&api, &body).await);
    let at = path(&expected);
    for (change, then) in [
        (json!({ "active": false }), json!({ "active": false })),
        (json!({ "name": null }), json!({ "name": null })),
        (json!({ "description": "e" }), json!({ "description": "e" })),
        (
            json!({ "url": "http://b.example" }),
            json!({ "url": "http://b.example" }),
        ),
        (
            json!({ "concurrency": 5, "active": null }),
            json!({ "concurrency": 5 }),
        ),
        (
            json!({ "active": true, "name": "" }),
            json!({ "active": true, "name": "" }),
        ),
    ] {
        let mut updated = api.put(&at, &change).await.ok();
        for (field, value) in then.as_object().expect("an object") {
            expected[field] = value.clone();
        }
        let is_active = expected["active"] == true;
        expected["health"]["status"] = if is_active { "healthy" } else { "inactive" }.into();
        updated["updated_at"] = expected["updated_at"].clone();
        assert_eq!(updated, expected, "{change}");
    }
    let by_query = format!("{at}?active=false&name=q&include=active,name,concurrency");
    let updated = api.request(Method::PUT, &by_query).send().await.ok();
    assert_eq!(
        updated,
        json!({ "name": "q", "active": false, "concurrency": 5 })
    );
    for nothing in [json!({}), json!({ "unknown": 1 }), json!({ "url": null })] {
        let error = refused(api.put(&at, &nothing).await, 400);
        assert!(error.contains("nothing to change"), "{error}");
    }
    refused(api.put(&at, &json!({ "active": "yes" })).await, 400);
}

#[tokio::test]
async fn rotation_answers_a_new_secret_and_nothing_else_shows_it() {
    let api = new_user().await;
    let made = create(&api, &json!({ "url": URL })).await;
    let rotated = rotate(&api, &made).await.ok();
    assert_ne!(rotated["signing_secret"], made["signing_secret"]);
    assert!(text(&rotated["signing_secret"]).starts_with("whsec_"));
    assert_eq!(field_names(&rotated), field_names(&made));
    let shown = api.get(&path(&made)).await;
    assert!(!shown.text.contains("whsec_"), "{}", shown.text);
    let again = rotate(&api, &made).await.ok();
    assert_ne!(again["signing_secret"], rotated["signing_secret"]);
}

#[tokio::test]
async fn changes_at_the_same_time_all_stand() {
    let api = new_user().await;
    for round in 0..5 {
        let webhook = create(&api, &json!({ "url": URL })).await;
        let at = path(&webhook);
        let name = json!({ "name": format!("name {round}") });
        let other = json!({ "description": "d", "concurrency": 9 });
        let off = json!({ "active": false });
        tokio::join!(
            async { api.put(&at, &name).await.expect(200) },
            async { api.put(&at, &other).await.expect(200) },
            async { api.put(&at, &off).await.expect(200) },
            async { rotate(&api, &webhook).await.expect(200) },
        );
        let after = api.get(&at).await.ok();
        assert_eq!(after["name"], name["name"]);
        assert_eq!(after["description"], "d");
        assert_eq!(after["concurrency"], 9);
        assert_eq!(after["active"], false);
    }
}

#[tokio::test]
async fn a_deleted_webhook_is_gone_everywhere() {
    let api = new_user().await;
    let webhook = create(&api, &json!({ "url": URL })).await;
    let answer = api.delete(&path(&webhook)).await;
    assert_eq!((answer.status, answer.text.as_str()), (204, ""));
    everything_about(&api, &text(&webhook["id"])).await;
    assert!(page(&api, LIST).await.rows.is_empty());
}

async fn everything_about(api: &Api, id: &str) {
    for (method, rest) in [
        (Method::GET, ""),
        (Method::PUT, ""),
        (Method::DELETE, ""),
        (Method::POST, "/rotate_secret"),
        (Method::GET, "/deliveries"),
        (Method::POST, "/replay"),
    ] {
        let path = format!("{PATH}/{id}{rest}");
        let request = api.request(method.clone(), &path);
        let answer = request.json(&json!({ "name": "x" })).send().await;
        assert_eq!(refused(answer, 404), "webhook not found", "{method} {path}");
    }
}

#[tokio::test]
async fn unknown_and_foreign_webhooks_are_404_also_for_the_operator() {
    let (owner, stranger) = (new_user().await, new_user().await);
    let webhook = create(&owner, &json!({ "url": URL })).await;
    let id = text(&webhook["id"]);
    everything_about(&stranger, &id).await;
    everything_about(&server().await.operator(), &id).await;
    for id in ["wh_unknown", "wh_", "dc_abc", "%00", "wh_%00", "wh_a%20b"] {
        everything_about(&owner, id).await;
    }
    let shown = without_secret(&webhook);
    assert_eq!(owner.get(&path(&webhook)).await.ok(), shown);
}

#[tokio::test]
async fn the_secret_is_not_in_the_database() {
    let server = server().await;
    let made = create(&server.operator(), &json!({ "url": URL })).await;
    let secret = text(&made["signing_secret"]);
    let bare = secret.strip_prefix("whsec_").expect("the prefix");
    for file in std::fs::read_dir(&server.infra.settings.data_dir).expect("the data folder") {
        let file = file.expect("a file").path();
        let bytes = std::fs::read(&file).unwrap_or_default();
        let found = bytes
            .windows(bare.len())
            .any(|window| window == bare.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

#[tokio::test]
async fn webhooks_are_found_by_part_of_their_name_or_address() {
    let api = new_user().await;
    create(
        &api,
        &json!({ "url": "https://one.example/Hook", "name": "Orders" }),
    )
    .await;
    create(&api, &json!({ "url": "https://two.example/orders" })).await;
    let stranger = new_user().await;
    let foreign = json!({ "url": "https://one.example/foreign" });
    create(&stranger, &foreign).await;
    for (q, expected) in [
        (
            "ORDERS",
            &["https://two.example/orders", "https://one.example/Hook"][..],
        ),
        ("one.EXAMPLE/hook", &["https://one.example/Hook"]),
        ("%25", &[]),
        (
            "",
            &["https://two.example/orders", "https://one.example/Hook"],
        ),
    ] {
        let found = page(&api, &format!("/users/me/webhooks?q={q}")).await;
        assert_eq!(found.each("url"), expected, "{q}");
        assert_eq!(found.info["total_count"], expected.len(), "{q}");
    }
    let first = page(&api, "/users/me/webhooks?q=orders&limit=1").await;
    let after = format!(
        "/users/me/webhooks?q=orders&limit=1&after={}",
        first.end_cursor()
    );
    assert_eq!(
        page(&api, &after).await.each("url"),
        ["https://one.example/Hook"]
    );
    refused(api.get("/users/me/webhooks?q=%00").await, 400);
}
