//! The current user on both plans, quotas, and the operator's way to make users.

use serde_json::{Value, json};
use sluice_testkit::{Api, Method, wait_for};

use super::fixtures::{
    SMALL_QUOTA, emit_numbers, field_names, idle_source, limited_server, refused, text,
};
use crate::{
    server::User,
    support::{EMITTER, PATIENCE, deploy, new_user, server, unique_name},
};

const DAY: i64 = 86_400;

async fn paid_user() -> User {
    server().await.user_on("paid").await
}

async fn me(api: &Api) -> Value {
    api.get("/users/me").await.ok()
}

#[tokio::test]
async fn users_me_of_a_free_plan_user_has_the_key_and_four_quota_fields() {
    let name = unique_name();
    let api = server().await.user_named(&name, "free").await;
    let user = me(&api).await;
    assert!(text(&user["id"]).starts_with("u_"));
    let expected = json!({
        "id": user["id"], "username": name, "email": format!("{name}@example.com"), "api_key": api.key(),
        "daily_compute_time_quota": 9_007_199_254_740_991_u64, "daily_compute_time_used": 0,
        "daily_invocations_quota": 9_007_199_254_740_991_u64, "daily_invocations_used": 0,
        "orgs": [{
            "id": text(&user["id"]).replacen("u_", "o_", 1), "orgname": name, "name": name,
            "email": format!("{name}@example.com"),
        }],
    });
    assert_eq!(user, expected);
}

#[tokio::test]
async fn users_me_of_a_paid_user_has_three_billing_fields_instead() {
    let api = paid_user().await;
    let user = me(&api).await;
    let fields = [
        "id",
        "username",
        "email",
        "billing_period_start_ts",
        "billing_period_end_ts",
        "billing_period_invocations",
        "orgs",
    ];
    assert_eq!(field_names(&user), fields);
    assert_eq!(user["billing_period_invocations"], 0);
}

#[tokio::test]
async fn the_billing_period_is_the_month_of_now_in_epoch_seconds() {
    let api = paid_user().await;
    let now = idle_source(&api).await.source["created_at"]
        .as_i64()
        .expect("epoch seconds");
    let user = me(&api).await;
    let start = user["billing_period_start_ts"]
        .as_i64()
        .expect("epoch seconds");
    let end = user["billing_period_end_ts"]
        .as_i64()
        .expect("epoch seconds");
    assert!((start..end).contains(&now), "{start} {now} {end}");
    assert_eq!((start % DAY, end % DAY), (0, 0));
    assert!((28..=31).contains(&((end - start) / DAY)), "{start} {end}");
}

#[tokio::test]
async fn daily_usage_counts_invocations_and_at_least_a_millisecond_for_each() {
    let api = new_user().await;
    let source = deploy(&api, EMITTER).await;
    emit_numbers(&source, 1).await;
    emit_numbers(&source, 1).await;
    let user = me(&api).await;
    assert_eq!(user["daily_invocations_used"], 2);
    assert!(
        user["daily_compute_time_used"].as_u64() >= Some(2),
        "{user}"
    );
}

#[tokio::test]
async fn billing_period_invocations_counts_invocations() {
    let api = paid_user().await;
    emit_numbers(&deploy(&api, EMITTER).await, 1).await;
    assert_eq!(me(&api).await["billing_period_invocations"], 1);
}

#[tokio::test]
async fn the_daily_quota_is_shown_and_over_it_runs_and_requests_are_429_with_retry_after() {
    let api = limited_server().await.user().await;
    assert_eq!(me(&api).await["daily_invocations_quota"], SMALL_QUOTA);
    let source = deploy(&api, EMITTER).await;
    for _ in 0..SMALL_QUOTA {
        emit_numbers(&source, 1).await;
    }
    let run = api.post(&source.path("/run"), &json!({})).await;
    let request = source.send(&json!({})).await;
    for answer in [run, request] {
        let seconds: i64 = answer
            .header("retry-after")
            .expect("a header")
            .parse()
            .expect("seconds");
        assert!((1..=DAY).contains(&seconds), "{seconds}");
        refused(answer, 429);
    }
    api.server.clock.advance(DAY * 1_000);
    emit_numbers(&source, 1).await;
}

#[tokio::test]
async fn quotas_do_not_bind_paid_users() {
    let api = limited_server().await.user_on("paid").await;
    let source = deploy(&api, EMITTER).await;
    for _ in 0..=SMALL_QUOTA {
        emit_numbers(&source, 1).await;
    }
    wait_for(PATIENCE, "all invocations to be counted", async || {
        (me(&api).await["billing_period_invocations"] == SMALL_QUOTA + 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_operator_makes_users_whose_key_of_32_lower_case_hexadecimal_characters_works() {
    let operator = server().await.operator();
    let name = unique_name();
    let body = json!({ "username": name, "email": "a@b.c", "plan": "paid" });
    let user = operator.post("/users", &body).await.ok();
    let key = text(&user["api_key"]);
    assert_eq!(key.len(), 32);
    assert!(
        key.bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        "{key}"
    );
    let expected = json!({ "id": user["id"], "username": name, "email": "a@b.c", "plan": "paid", "api_key": key });
    assert_eq!(user, expected);
    let seen = me(&Api::new(operator.server.url(), &key)).await;
    assert_eq!(
        (&seen["id"], &seen["username"]),
        (&user["id"], &user["username"])
    );
}

#[tokio::test]
async fn post_users_makes_free_plan_users_unless_told_otherwise() {
    let operator = server().await.operator();
    let body = json!({ "username": unique_name(), "email": "a@b.c" });
    assert_eq!(operator.post("/users", &body).await.ok()["plan"], "free");
}

#[tokio::test]
async fn post_users_does_not_exist_for_anyone_but_the_operator() {
    let api = new_user().await;
    let body = json!({ "username": unique_name(), "email": "a@b.c" });
    let answer = api.post("/users", &body).await;
    let unknown_path = api.request(Method::POST, "/nonsense").send().await;
    assert_eq!(refused(answer, 404), refused(unknown_path, 404));
}

#[tokio::test]
async fn post_users_wants_a_username_an_email_and_a_known_plan() {
    let operator = server().await.operator();
    for (body, field) in [
        (json!({ "email": "a@b.c" }), "username"),
        (json!({ "username": "", "email": "a@b.c" }), "username"),
        (json!({ "username": 5, "email": "a@b.c" }), "username"),
        (json!({ "username": "nul\0", "email": "a@b.c" }), "username"),
        (
            json!({ "username": "x".repeat(501), "email": "a@b.c" }),
            "username",
        ),
        (json!({ "username": unique_name() }), "email"),
        (
            json!({ "username": unique_name(), "email": "a@b.c", "plan": "gold" }),
            "plan",
        ),
    ] {
        let error = refused(operator.post("/users", &body).await, 400);
        assert!(error.contains(field), "{body}: {error}");
    }
}

#[tokio::test]
async fn a_username_that_is_taken_is_409() {
    let operator = server().await.operator();
    let body = json!({ "username": unique_name(), "email": "a@b.c" });
    operator.post("/users", &body).await.expect(200);
    refused(operator.post("/users", &body).await, 409);
}
