//! Apps: the operator registers them, everybody sees them, nobody sees their secrets.

use serde_json::json;
use sluice_testkit::{Backend, Method};

use super::fixtures::{key_account, key_app, refused, text, unique_slug};
use crate::support::{new_user, shared_server};

#[tokio::test]
async fn an_app_is_registered_by_slug_and_changed_by_the_same() {
    let operator = shared_server(Backend::Sqlite).api();
    let slug = unique_slug();
    let fields =
        json!([{ "name": "api_key", "label": "Key", "optional": false, "type": "password" }]);
    let mut body =
        json!({ "name_slug": slug, "name": "First", "auth_type": "keys", "custom_fields": fields });
    let app = operator.post("/apps", &body).await.ok();
    assert!(text(&app["id"]).starts_with("app_"));
    let fields_json = r#"[{"name":"api_key","label":"Key","optional":false,"type":"password"}]"#;
    let expected = json!({
        "id": app["id"], "name_slug": slug, "name": "First", "auth_type": "keys", "description": null,
        "custom_fields_json": fields_json, "img_src": null, "oauth": null,
    });
    assert_eq!(app, expected);
    body["name"] = json!("Second");
    let changed = operator.post("/apps", &body).await.ok();
    assert_eq!(
        (&changed["id"], &changed["name"]),
        (&app["id"], &json!("Second"))
    );
    let user = new_user().await;
    assert_eq!(user.get(&format!("/apps/{slug}")).await.ok(), changed);
    let by_id = format!("/apps/{}", text(&app["id"]));
    assert_eq!(user.get(&by_id).await.ok(), changed);
    assert_eq!(
        refused(user.get("/apps/nonsense").await, 404),
        "app not found"
    );
}

#[tokio::test]
async fn registering_and_removing_do_not_exist_for_anyone_but_the_operator() {
    let user = new_user().await;
    let slug = key_app(shared_server(Backend::Sqlite)).await;
    let unknown = refused(user.request(Method::POST, "/nonsense").send().await, 404);
    let body = json!({ "name_slug": slug, "auth_type": "none" });
    assert_eq!(refused(user.post("/apps", &body).await, 404), unknown);
    let removal = user.delete(&format!("/apps/{slug}")).await;
    assert_eq!(refused(removal, 404), unknown);
}

#[tokio::test]
async fn what_is_wrong_with_an_app_comes_all_at_once() {
    let operator = shared_server(Backend::Sqlite).api();
    let oauth = json!({ "authorization_url": "x", "token_url": "ftp://x", "client_id": "" });
    let body = json!({ "name_slug": "Not A Slug", "auth_type": "oauth", "oauth": oauth });
    let refusal = operator.post("/apps", &body).await.expect(422);
    let faults = refusal["details"]["app"].as_array().expect("a list");
    assert_eq!(faults.len(), 4, "{refusal}");
    for (body, field) in [
        (json!({ "auth_type": "none" }), "name_slug"),
        (json!({ "name_slug": "x" }), "auth_type"),
        (
            json!({ "name_slug": "x", "auth_type": "magic" }),
            "auth_type",
        ),
        (
            json!({ "name_slug": "x", "auth_type": "keys" }),
            "custom_fields",
        ),
        (json!({ "name_slug": "x", "auth_type": "oauth" }), "oauth"),
    ] {
        let error = refused(operator.post("/apps", &body).await, 400);
        assert!(error.contains(field), "{body}: {error}");
    }
}

#[tokio::test]
async fn apps_are_listed_in_pages_and_found_by_a_part_of_their_name() {
    let server = shared_server(Backend::Sqlite);
    let user = new_user().await;
    let common = unique_slug();
    for suffix in ["-a", "-b", "-c"] {
        let body = json!({ "name_slug": format!("{common}{suffix}"), "auth_type": "none" });
        server.api().post("/apps", &body).await.ok();
    }
    let path = format!("/apps?q={}-&limit=2", common.to_uppercase());
    let first = user.get(&path).await.expect(200);
    assert_eq!(first["page_info"]["total_count"], 3);
    let slug = |page: &serde_json::Value, row: usize| text(&page["data"][row]["name_slug"]);
    assert_eq!(slug(&first, 0), format!("{common}-c"));
    let cursor = text(&first["page_info"]["end_cursor"]);
    let second = user
        .get(&format!("{path}&after={cursor}"))
        .await
        .expect(200);
    assert_eq!(second["page_info"]["count"], 1);
    assert_eq!(slug(&second, 0), format!("{common}-a"));
}

#[tokio::test]
async fn an_app_with_accounts_stays_and_keeps_its_kind() {
    let server = shared_server(Backend::Sqlite);
    let (operator, user) = (server.api(), new_user().await);
    let slug = key_app(server).await;
    let account = key_account(&user, &slug, "k").await;
    let path = format!("/apps/{slug}");
    refused(operator.delete(&path).await, 409);
    let other_kind = json!({ "name_slug": slug, "auth_type": "none" });
    refused(operator.post("/apps", &other_kind).await, 409);
    user.delete(&format!("/accounts/{account}"))
        .await
        .expect(204);
    operator.delete(&path).await.expect(204);
    refused(operator.delete(&path).await, 404);
}
