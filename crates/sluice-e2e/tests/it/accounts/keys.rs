//! Accounts of apps with keys.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::Backend;

use super::fixtures::{credentials, key_account, key_app, refused, source_with, text, unique_slug};
use crate::support::{new_user, new_user_on, shared_server};

fn is_iso_date(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    text.len() == "2024-07-30T22:52:48.000Z".len() && text.ends_with('Z') && text.contains('T')
}

#[rstest]
#[tokio::test]
async fn keys_reach_the_component_and_its_app_methods(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let api = new_user_on(backend).await;
    let slug = key_app(shared_server(backend)).await;
    let account = key_account(&api, &slug, "secret-1").await;
    let source = source_with(&api, &slug, &account).await;
    let shown = json!({ "authProvisionId": account });
    assert_eq!(source.source["configured_props"]["app"], shown);
    source.run(json!({})).await;
    let auth = json!({ "api_key": "secret-1" });
    let expected = json!({ "auth": auth, "inMethod": auth });
    assert_eq!(source.events(1).await, [expected]);
}

#[tokio::test]
async fn new_keys_are_seen_by_the_next_invocation_of_a_running_process() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let account = key_account(&api, &slug, "old").await;
    let source = source_with(&api, &slug, &account).await;
    source.run(json!({})).await;
    source.events(1).await;
    let body = json!({ "credentials": { "api_key": "new", "region": "eu" } });
    api.put(&format!("/accounts/{account}"), &body).await.ok();
    source.run(json!({})).await;
    let events = source.events(2).await;
    assert_eq!(events[0]["auth"], json!({ "api_key": "old" }));
    assert_eq!(
        events[1]["auth"],
        json!({ "api_key": "new", "region": "eu" })
    );
}

#[tokio::test]
async fn an_account_has_iso_dates_and_shows_credentials_only_when_asked() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let body = json!({ "app": slug, "name": "Mine", "credentials": { "api_key": "hidden" } });
    let created = api.post("/accounts", &body).await.ok();
    assert!(text(&created["id"]).starts_with("apn_"));
    assert!(
        is_iso_date(&created["created_at"]) && is_iso_date(&created["updated_at"]),
        "{created}"
    );
    let app = api.get(&format!("/apps/{slug}")).await.ok();
    let expected = json!({
        "id": created["id"], "name": "Mine", "healthy": true, "dead": false, "error": null, "app": app,
        "created_at": created["created_at"], "updated_at": created["updated_at"], "expires_at": null,
        "renewable": null,
    });
    assert_eq!(created, expected);
    let account = text(&created["id"]);
    let path = format!("/accounts/{account}");
    assert_eq!(api.get(&path).await.ok(), expected);
    assert_eq!(
        api.get(&format!("{path}?include_credentials=false"))
            .await
            .ok(),
        expected
    );
    assert_eq!(
        credentials(&api, &account).await,
        json!({ "api_key": "hidden" })
    );
    refused(
        api.get(&format!("{path}?include_credentials=maybe")).await,
        400,
    );
    let list = api.get("/accounts").await;
    assert!(!list.text.contains("hidden"));
    assert_eq!(list.expect(200)["data"], json!([expected]));
}

#[tokio::test]
async fn missing_and_unknown_fields_are_refused_all_at_once() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let body = json!({ "app": slug, "credentials": { "region": 5, "color": "red" } });
    let refusal = api.post("/accounts", &body).await.expect(422);
    let faults = json!([
        "api_key is required",
        "region must be a string",
        "color is not a field of this app"
    ]);
    let expected = json!({ "error": "record invalid", "details": { "credentials": faults } });
    assert_eq!(refusal, expected);
    refused(api.post("/accounts", &json!({})).await, 400);
    let unknown = json!({ "app": "nonsense", "credentials": {} });
    assert_eq!(
        refused(api.post("/accounts", &unknown).await, 404),
        "app not found"
    );
    let slug = unique_slug();
    let none = json!({ "name_slug": slug, "auth_type": "none" });
    shared_server(Backend::Sqlite)
        .api()
        .post("/apps", &none)
        .await
        .ok();
    api.post("/accounts", &json!({ "app": slug }))
        .await
        .expect(422);
}

#[tokio::test]
async fn accounts_are_listed_newest_first_by_app_and_in_pages() {
    let api = new_user().await;
    let server = shared_server(Backend::Sqlite);
    let (one, other) = (key_app(server).await, key_app(server).await);
    let mut ids = Vec::new();
    for slug in [&one, &other, &one] {
        ids.push(key_account(&api, slug, "k").await);
    }
    let list = async |path: &str| {
        let page = api.get(path).await.expect(200);
        let rows = page["data"].as_array().expect("a list").clone();
        let ids: Vec<String> = rows.iter().map(|row| text(&row["id"])).collect();
        (page["page_info"].clone(), ids)
    };
    let newest_first: Vec<String> = ids.iter().rev().cloned().collect();
    assert_eq!(list("/accounts").await.1, newest_first);
    assert_eq!(
        list(&format!("/accounts?app={one}")).await.1,
        [ids[2].clone(), ids[0].clone()]
    );
    assert_eq!(list("/accounts?app=nonsense").await.1, Vec::<String>::new());
    let (info, first) = list("/accounts?limit=1").await;
    assert_eq!(
        (first, &info["total_count"]),
        (vec![ids[2].clone()], &json!(3))
    );
    let cursor = text(&info["end_cursor"]);
    assert_eq!(
        list(&format!("/accounts?after={cursor}")).await.1,
        [ids[1].clone(), ids[0].clone()]
    );
}

#[tokio::test]
async fn accounts_of_others_are_404_everywhere_and_stay_as_they_were() {
    let (owner, stranger) = (new_user().await, new_user().await);
    let server = shared_server(Backend::Sqlite);
    let slug = key_app(server).await;
    let account = key_account(&owner, &slug, "mine").await;
    let path = format!("/accounts/{account}");
    let body = json!({ "name": "x", "credentials": { "api_key": "theirs" } });
    for user in [&stranger, &server.api()] {
        for answer in [
            user.get(&path).await,
            user.get(&format!("{path}?include_credentials=true")).await,
            user.put(&path, &body).await,
            user.delete(&path).await,
        ] {
            assert_eq!(refused(answer, 404), "account not found");
        }
    }
    assert_eq!(
        stranger.get("/accounts").await.expect(200)["data"],
        json!([])
    );
    assert_eq!(
        credentials(&owner, &account).await,
        json!({ "api_key": "mine" })
    );
    assert_eq!(
        refused(owner.get("/accounts/nonsense").await, 404),
        "account not found"
    );
}

#[tokio::test]
async fn put_renames_or_replaces_and_refuses_what_is_wrong() {
    let api = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let account = key_account(&api, &slug, "k").await;
    let path = format!("/accounts/{account}");
    assert_eq!(
        api.put(&path, &json!({ "name": "New" })).await.ok()["name"],
        "New"
    );
    assert_eq!(credentials(&api, &account).await, json!({ "api_key": "k" }));
    refused(api.put(&path, &json!({})).await, 400);
    api.put(&path, &json!({ "credentials": {} }))
        .await
        .expect(422);
    assert_eq!(credentials(&api, &account).await, json!({ "api_key": "k" }));
}
