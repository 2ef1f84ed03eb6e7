//! The address of a client behind trusted proxies, over real connections from 127.0.0.1.

use std::sync::Arc;

use sluice_infra::ForwardedHeader;
use sluice_testkit::{Answer, Method};

use crate::{
    server::{TestServer, User},
    support::{Deployed, deploy},
};

const ECHO: &str = r#"module.exports = { "name": "Echo", "version": "0.0.1",
    "props": { "http": "$.interface.http" }, "run": { "emit": "event" } };"#;

async fn server(trusted: &[&str], header: ForwardedHeader) -> Arc<TestServer> {
    TestServer::with(|settings| {
        settings.max_wrong_keys = 1;
        let networks = trusted.iter().map(|network| network.parse().unwrap());
        settings.proxies.trusted = networks.collect();
        settings.proxies.header = header;
    })
    .await
}

/// The `client_ip` of the event of a request with this header.
async fn client_ip(source: &Deployed, name: &str, value: &str, count: usize) -> String {
    let request = source.api.absolute(Method::POST, source.endpoint());
    request.header(name, value).send().await.expect(200);
    let events = source.events(count).await;
    events[count - 1]["client_ip"]
        .as_str()
        .expect("text")
        .to_owned()
}

async fn wrong_key(user: &User, forwarded_for: &str) -> Answer {
    let request = user.root(Method::GET, "/v1/users/me");
    let request = request.header("authorization", "Bearer wrong");
    request
        .header("x-forwarded-for", forwarded_for)
        .send()
        .await
}

#[tokio::test]
async fn events_have_the_address_that_a_trusted_proxy_names() {
    let server = server(&["127.0.0.0/8"], ForwardedHeader::XForwardedFor).await;
    let source = deploy(&server.user().await, ECHO).await;
    let chain = "1.1.1.1, 203.0.113.7, 127.0.0.9";
    assert_eq!(
        client_ip(&source, "x-forwarded-for", chain, 1).await,
        "203.0.113.7"
    );
    let other = "for=203.0.113.8";
    assert_eq!(client_ip(&source, "forwarded", other, 2).await, "127.0.0.1");
}

#[tokio::test]
async fn events_have_the_address_of_the_standard_header_where_it_is_chosen() {
    let server = server(&["127.0.0.1/32"], ForwardedHeader::Forwarded).await;
    let source = deploy(&server.user().await, ECHO).await;
    let chain = "for=1.1.1.1, for=\"[2001:db8::1]:80\";proto=https";
    assert_eq!(
        client_ip(&source, "forwarded", chain, 1).await,
        "2001:db8::1"
    );
}

#[tokio::test]
async fn a_client_that_is_no_trusted_proxy_is_not_believed() {
    let server = server(&["10.0.0.0/8"], ForwardedHeader::XForwardedFor).await;
    let user = server.user().await;
    let source = deploy(&user, ECHO).await;
    assert_eq!(
        client_ip(&source, "x-forwarded-for", "203.0.113.7", 1).await,
        "127.0.0.1"
    );
    let statuses = [
        wrong_key(&user, "203.0.113.1").await.status,
        wrong_key(&user, "203.0.113.2").await.status,
        wrong_key(&user, "203.0.113.3").await.status,
    ];
    assert_eq!(statuses, [401, 401, 429]);
}

#[tokio::test]
async fn wrong_keys_are_counted_by_the_address_behind_the_proxy() {
    let server = server(&["127.0.0.1/32"], ForwardedHeader::XForwardedFor).await;
    let user = server.user().await;
    let attempt = async |address: &str| wrong_key(&user, address).await.status;
    assert_eq!(attempt("203.0.113.1").await, 401);
    assert_eq!(attempt("9.9.9.9, 203.0.113.1").await, 401);
    assert_eq!(attempt("8.8.8.8, 203.0.113.1").await, 429);
    // Another client of the same proxy.
    assert_eq!(attempt("203.0.113.2").await, 401);
}
