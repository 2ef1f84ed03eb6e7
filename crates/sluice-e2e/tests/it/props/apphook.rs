//! `$.interface.apphook`: an endpoint of the source's own for the webhooks of an app.

use rstest::rstest;
use serde_json::json;
use sluice_testkit::{Backend, Method};

use super::component;
use crate::support::{deploy, new_user, new_user_on};

const HOOKED: &str = "props: { app: { type: 'app', app: 'chat' }, hook: { type: '$.interface.apphook', appProp: 'app', eventNames: ['message'] } },
    run(event) { this.$emit({ event, endpoint: this.hook.endpoint }); }";

#[rstest]
#[tokio::test]
async fn what_is_sent_to_its_address_is_the_event_itself(
    #[values(Backend::Sqlite, Backend::Postgres)] backend: Backend,
) {
    let source = deploy(&new_user_on(backend).await, &component(HOOKED)).await;
    let endpoint = source.source["configured_props"]["hook"]["endpoint_url"].clone();
    let url = endpoint.as_str().expect("an address");
    let body = json!({ "type": "message", "text": "hi" });
    let request = source.api.absolute(Method::POST, url).json(&body);
    let answer = request.send().await.expect(200);
    assert!(answer["id"].is_string(), "{answer}");
    source.events(1).await;
    let text = source.api.absolute(Method::POST, url).body("plain text");
    text.send().await.expect(200);
    source.events(2).await;
    let nothing = source.api.absolute(Method::GET, url);
    nothing.send().await.expect(200);
    let seen = |event| json!({ "event": event, "endpoint": endpoint });
    assert_eq!(
        source.events(3).await,
        [seen(body), seen(json!("plain text")), seen(json!({}))]
    );
}

#[tokio::test]
async fn it_needs_no_value_and_keeps_its_address_through_updates() {
    let source = deploy(&new_user().await, &component(HOOKED)).await;
    let update = json!({ "component_code": component(&format!("description: 'new', {HOOKED}")), "configured_props": { "hook": {} } });
    let updated = source.api.put(&source.path(""), &update).await.ok();
    assert_eq!(
        updated["configured_props"]["hook"],
        source.source["configured_props"]["hook"]
    );
}
