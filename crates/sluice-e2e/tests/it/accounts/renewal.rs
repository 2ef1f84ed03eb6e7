//! Tokens are renewed before they expire, once, and whoever uses a grant that is gone is told clearly.

use rstest::rstest;
use serde_json::{Value, json};
use sluice_testkit::{Api, Backend, Server, wait_for};

use super::{
    fixtures::{connect, connect_with, credentials, set_expiry, source_with, text},
    provider::{OauthApp, provider},
};
use crate::support::{Deployed, PATIENCE, new_user, new_user_on, own_server, shared_server};

/// A user with a connected account and a source that uses it.
async fn stage(backend: Backend) -> (Api, OauthApp, String, Deployed) {
    let api = new_user_on(backend).await;
    let app = provider().app_on(shared_server(backend), json!({})).await;
    let account = connect(&api, &app, "alice").await;
    let source = source_with(&api, &app.slug, &account).await;
    (api, app, account, source)
}

async fn account(api: &Api, id: &str) -> Value {
    api.get(&format!("/accounts/{id}")).await.ok()
}

async fn emitted(source: &Deployed) -> u64 {
    let page = source
        .api
        .get(&source.path("/event_summaries?limit=1"))
        .await;
    page.expect(200)["page_info"]["total_count"]
        .as_u64()
        .expect("a number")
}

#[rstest]
#[tokio::test]
async fn an_expired_token_is_renewed_before_the_run_and_the_refresh_token_rotates(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let (api, app, account, source) = stage(backend).await;
    let before = credentials(&api, &account).await;
    set_expiry(&api, &account, 0).await;
    source.run(json!({})).await;
    let seen = source.events(1).await[0]["auth"].clone();
    assert_ne!(seen["oauth_access_token"], before["oauth_access_token"]);
    assert_ne!(seen["oauth_refresh_token"], before["oauth_refresh_token"]);
    assert_eq!(seen["oauth_uid"], "alice");
    assert_eq!(credentials(&api, &account).await, seen);
    assert!(
        provider()
            .accepts(&api, &text(&seen["oauth_access_token"]))
            .await
    );
    // What was rotated works for the next renewal, and a process that runs sees it.
    set_expiry(&api, &account, 0).await;
    source.run(json!({})).await;
    let again = source.events(2).await[1]["auth"].clone();
    assert_ne!(again["oauth_access_token"], seen["oauth_access_token"]);
    assert!(
        provider()
            .accepts(&api, &text(&again["oauth_access_token"]))
            .await
    );
    assert_eq!(provider().times_asked(&api, &app).await, 3);
}

#[tokio::test]
async fn runs_of_many_sources_at_once_cause_one_renewal() {
    let (api, app, account, first) = stage(Backend::Sqlite).await;
    let mut sources = vec![first];
    for _ in 0..3 {
        sources.push(source_with(&api, &app.slug, &account).await);
    }
    set_expiry(&api, &account, 0).await;
    for _ in 0..3 {
        for source in &sources {
            source.run(json!({})).await;
        }
    }
    let mut tokens = Vec::new();
    for source in &sources {
        for event in source.events(3).await {
            tokens.push(text(&event["auth"]["oauth_access_token"]));
        }
    }
    tokens.dedup();
    assert_eq!(tokens.len(), 1, "{tokens:?}");
    // One for the code, one for the renewal: a second would have had the provider revoke the grant.
    assert_eq!(provider().times_asked(&api, &app).await, 2);
}

#[tokio::test]
async fn a_revoked_grant_fails_runs_clearly_without_asking_again_until_it_is_connected_again() {
    let (api, app, id, source) = stage(Backend::Sqlite).await;
    let refresh_token = text(&credentials(&api, &id).await["oauth_refresh_token"]);
    provider().revoke(&api, &app, &refresh_token).await;
    set_expiry(&api, &id, 0).await;
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0)["error"].clone();
    assert_eq!(error["code"], "AccountError");
    let message = text(&error["msg"]);
    assert!(
        message.contains("was revoked or has expired: connect the account again"),
        "{message}"
    );
    source.log_with("connect the account again").await;
    let dead = account(&api, &id).await;
    assert_eq!(
        (&dead["healthy"], &dead["dead"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(dead["error"], json!(message));

    let asked = provider().times_asked(&api, &app).await;
    for _ in 0..3 {
        source.run(json!({})).await;
    }
    source.errors(4).await;
    assert_eq!(provider().times_asked(&api, &app).await, asked);

    let body = json!({ "app": app.slug, "account_id": id });
    assert_eq!(connect_with(&api, body, "alice").await, id);
    source.run(json!({})).await;
    assert_eq!(source.events(1).await[0]["auth"]["oauth_uid"], "alice");
    assert_eq!(account(&api, &id).await["healthy"], true);
}

#[tokio::test]
async fn a_hook_of_a_dead_account_fails_the_request_with_the_reason() {
    let (api, app, id, source) = stage(Backend::Sqlite).await;
    let refresh_token = text(&credentials(&api, &id).await["oauth_refresh_token"]);
    provider().revoke(&api, &app, &refresh_token).await;
    set_expiry(&api, &id, 0).await;
    let code =
        super::fixtures::source_code(&app.slug).replace("run()", "hooks: { activate() {} }, run()");
    let refusal = api
        .put(&source.path(""), &json!({ "component_code": code }))
        .await
        .expect(422);
    assert_eq!(refusal["error"], "observation error");
    let observations = refusal["observations"].to_string();
    assert!(
        observations.contains("AccountError") && observations.contains("connect the account again"),
        "{refusal}"
    );
}

#[tokio::test]
async fn a_provider_that_is_out_of_order_fails_runs_for_now_and_kills_nothing() {
    let (api, app, id, source) = stage(Backend::Sqlite).await;
    provider().set_outage(&api, &app, 503).await;
    set_expiry(&api, &id, 0).await;
    source.run(json!({})).await;
    let error = source.errors(1).await.remove(0)["error"].clone();
    assert_eq!(error["code"], "AccountError");
    assert!(
        text(&error["msg"]).contains("could not be renewed: it answered 503"),
        "{error}"
    );
    assert_eq!(account(&api, &id).await["dead"], false);
    provider().set_outage(&api, &app, 0).await;
    wait_for(PATIENCE, "a run that works again", async || {
        source.run(json!({})).await;
        (!source.summaries().await.is_empty()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn apps_that_change_meanwhile_do_not_hide_why_a_run_failed() {
    let server = Server::start(own_server()).await;
    let api = server.api();
    let app = provider().app_on(&server, json!({})).await;
    let id = connect(&api, &app, "alice").await;
    let source = source_with(&api, &app.slug, &id).await;
    provider().set_outage(&api, &app, 503).await;
    set_expiry(&api, &id, 0).await;
    source.run(json!({})).await;
    // Each of them makes the server forget what it knows of accounts.
    let error = tokio::select! {
        errors = source.errors(1) => text(&errors[0]["error"]["msg"]),
        () = async { loop { provider().app_on(&server, json!({})).await; } } => unreachable!(),
    };
    assert!(
        error.contains("could not be renewed: it answered 503"),
        "{error}"
    );
}

#[tokio::test]
async fn a_renewal_goes_on_when_whoever_asked_for_it_leaves() {
    const ASKING: &str = r#"module.exports = { name: "Asking", version: "0.0.1", props: {
      app: { type: "app", app: "SLUG" }, choice: { type: "string", options: () => ["a"] } }, run() {} };"#;
    let (api, app, id, source) = stage(Backend::Sqlite).await;
    let code = json!({ "component_code": ASKING.replace("SLUG", &app.slug) });
    let component = api.post("/components", &code).await.ok();
    let asked = provider().times_asked(&api, &app).await;
    provider().set_outage(&api, &app, 503).await;
    set_expiry(&api, &id, 0).await;
    let question = json!({
        "id": component["id"], "prop_name": "choice", "configured_props": { "app": { "authProvisionId": id } },
    });
    tokio::select! {
        answer = api.post("/components/configure", &question) => panic!("{answer:?}"),
        () = wait_for(PATIENCE, "a try to renew", async || {
            (provider().times_asked(&api, &app).await > asked).then_some(())
        }) => {}
    }
    provider().set_outage(&api, &app, 0).await;
    source.run(json!({})).await;
    assert_eq!(source.events(1).await[0]["auth"]["oauth_uid"], "alice");
}

#[tokio::test]
async fn while_the_old_token_is_good_a_failing_renewal_disturbs_nobody() {
    let (api, app, id, source) = stage(Backend::Sqlite).await;
    provider().set_outage(&api, &app, 503).await;
    // Due for renewal a second before it expires.
    set_expiry(&api, &id, 10).await;
    let mut runs = 0;
    wait_for(PATIENCE, "an attempt to renew", async || {
        source.run(json!({})).await;
        runs += 1;
        wait_for(PATIENCE, "the run to emit", async || {
            (emitted(&source).await == runs).then_some(())
        })
        .await;
        (provider().times_asked(&api, &app).await > 1).then_some(())
    })
    .await;
    assert_eq!(account(&api, &id).await["healthy"], true);
}

#[tokio::test]
async fn a_token_that_cannot_be_renewed_is_used_until_it_expires() {
    let api = new_user().await;
    let app = provider()
        .app_on(shared_server(Backend::Sqlite), json!({}))
        .await;
    let tokens = json!({ "oauth_access_token": "only", "expires_in": 0 });
    let body = json!({ "app": app.slug, "credentials": tokens });
    let account = text(&api.post("/accounts", &body).await.ok()["id"]);
    let source = source_with(&api, &app.slug, &account).await;
    source.run(json!({})).await;
    source.errors(1).await;
    let body = json!({ "credentials": { "oauth_access_token": "only", "expires_in": 60 } });
    api.put(&format!("/accounts/{account}"), &body).await.ok();
    source.run(json!({})).await;
    assert_eq!(
        source.events(1).await[0]["auth"]["oauth_access_token"],
        "only"
    );
}

#[tokio::test]
async fn tokens_that_live_for_seconds_are_renewed_again_and_again_under_a_running_source() {
    let server = shared_server(Backend::Sqlite);
    let api = new_user().await;
    let app = provider()
        .app_on(server, json!({ "access_token_lifetime": 2 }))
        .await;
    let account = connect(&api, &app, "alice").await;
    let source = source_with(&api, &app.slug, &account).await;
    let mut tokens: Vec<String> = Vec::new();
    wait_for(PATIENCE, "three tokens", async || {
        source.run(json!({})).await;
        let newest = source.summaries().await.into_iter().next()?;
        let token = text(&newest["event"]["auth"]["oauth_access_token"]);
        if tokens.last() != Some(&token) {
            assert!(
                provider().accepts(&api, &token).await,
                "a token that is new"
            );
            tokens.push(token);
        }
        (tokens.len() == 3).then_some(())
    })
    .await;
    let failures = api
        .get(&source.path("/event_summaries?event_name=$errors"))
        .await;
    assert_eq!(failures.expect(200)["page_info"]["total_count"], 0);
}
