//! `$.send.http`.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::json;
use sluice_testkit::{
    Method, ServerOptions, now_ms,
    receiver::{Answer, Receiver},
};

use super::post_office::{PostOffice, SendKind::Http};
use crate::support::own_server;

fn quick() -> ServerOptions {
    own_server().arg("--allow-private-network").args([
        "--send-retries",
        "50ms,50ms",
        "--send-timeout",
        "500ms",
    ])
}

#[tokio::test]
async fn a_request_goes_out_as_it_was_ordered() {
    let receiver = Receiver::start(|_| Answer::status(202));
    let mut office = PostOffice::new(quick()).await;
    let user = office.user("sender").await;
    let order = json!({ "method": "POST", "url": receiver.url("/a?x=1"), "data": { "n": 1 },
        "params": { "y": "2 3" }, "headers": { "X-Own": "yes" }, "auth": { "username": "u", "password": "p" } });
    let id = office.order(&user, Http, &order);
    let order = json!({ "method": "PUT", "url": receiver.url("/text"), "data": "as it is" });
    let text = office.order(&user, Http, &order);
    office.open().await;
    assert_eq!(office.sent(id).await, ("202".to_owned(), 1));
    assert_eq!(office.sent(text).await, ("202".to_owned(), 1));

    let mut requests = receiver.wait_for(2).await;
    requests.sort_by(|a, b| a.method.cmp(&b.method));
    let [post, put] = requests.as_slice() else {
        panic!("more than two: {requests:#?}");
    };
    assert_eq!(post.method, "POST");
    assert_eq!(post.path, "/a?x=1&y=2+3");
    assert_eq!(post.json(), json!({ "n": 1 }));
    assert_eq!(post.header("content-type"), Some("application/json"));
    assert_eq!(post.header("x-own"), Some("yes"));
    let credentials = format!("Basic {}", STANDARD.encode("u:p"));
    assert_eq!(post.header("authorization"), Some(credentials.as_str()));
    let agent = post.header("user-agent").expect("a name");
    assert!(agent.starts_with("sluice/"), "{agent}");
    assert_eq!(
        (put.method.as_str(), put.body.as_str()),
        ("PUT", "as it is")
    );
    assert_eq!(put.header("content-type"), None);

    let metrics = office.server.api().root(Method::GET, "/metrics");
    let metrics = metrics.send().await.text;
    let line = "sluice_sends_total{kind=\"http\",result=\"sent\"} 2";
    assert!(metrics.contains(line), "{metrics}");
}

#[tokio::test]
async fn what_may_pass_is_tried_three_times_in_all_and_the_rest_once() {
    let receiver = Receiver::start(|request| match request.path.as_str() {
        "/503" => Answer::status(503).body("out of\norder"),
        "/429" => Answer::status(429),
        "/closes" => Answer::Close,
        "/hangs" => Answer::Hang,
        "/404" => Answer::status(404),
        "/moved" => Answer::status(302).header("location", "/elsewhere"),
        path => panic!("{path} was not asked for"),
    });
    let mut office = PostOffice::new(quick()).await;
    let user = office.user("sender").await;
    let mut order = |path: &str| office.order_get(&user, &receiver.url(path));
    let again = ["/503", "/429", "/closes", "/hangs"].map(&mut order);
    let once = ["/404", "/moved"].map(&mut order);
    office.open().await;
    let reasons = [
        "503 Service Unavailable: out of order",
        "429",
        "",
        "no answer within 500ms",
    ];
    for (id, reason) in again.into_iter().zip(reasons) {
        let (why, tries) = office.failed(id).await;
        assert_eq!(tries, 3, "{why}");
        assert!(why.contains(reason) && !why.is_empty(), "{why:?}");
    }
    for (id, reason) in once.into_iter().zip(["404", "redirects are not followed"]) {
        let (why, tries) = office.failed(id).await;
        assert_eq!(tries, 1, "{why}");
        assert!(why.contains(reason), "{why}");
    }
    // A connection that was closed under a request may have been tried once more by the client itself.
    let count = |path: &str| {
        receiver
            .requests()
            .iter()
            .filter(|r| r.path == path)
            .count()
    };
    assert_eq!(["/503", "/429", "/hangs"].map(count), [3, 3, 3]);
    assert_eq!(["/404", "/moved"].map(count), [1, 1]);
}

#[tokio::test]
async fn a_second_try_can_succeed() {
    let receiver = Receiver::start(|request| match request.number {
        1 => Answer::status(500),
        _ => Answer::status(200),
    });
    let mut office = PostOffice::new(quick()).await;
    let user = office.user("sender").await;
    let id = office.order_get(&user, &receiver.url("/"));
    office.open().await;
    assert_eq!(office.sent(id).await, ("200".to_owned(), 2));
}

#[tokio::test]
async fn nothing_goes_to_private_addresses_unless_they_are_allowed() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let mut office = PostOffice::new(own_server()).await;
    let user = office.user("sender").await;
    let address: String = receiver.url("/");
    let by_name = address.replace("127.0.0.1", "localhost");
    let ids = [address, by_name].map(|url| office.order_get(&user, &url));
    office.open().await;
    for id in ids {
        let failed = office.failed(id).await;
        assert_eq!(failed, ("the address is private".to_owned(), 1));
    }
    assert_eq!(receiver.count(), 0);
}

#[tokio::test]
async fn what_cannot_be_sent_says_why() {
    let mut office = PostOffice::new(quick()).await;
    let user = office.user("sender").await;
    let url = "http://127.0.0.1:1/";
    let orders = [
        json!({ "method": "GET", "url": "nowhere" }),
        json!({ "method": "GET", "url": url, "headers": { "x": "a\nb" } }),
        json!({ "url": url }),
    ];
    let ids = orders.map(|order| office.order(&user, Http, &order));
    office.open().await;
    for (id, reason) in ids.into_iter().zip(["nowhere", "the header x", "method"]) {
        let (why, tries) = office.failed(id).await;
        assert_eq!(tries, 1);
        assert!(why.contains(reason), "{why}");
    }
}

#[tokio::test]
async fn what_is_due_later_waits_for_its_time() {
    let receiver = Receiver::start(|_| Answer::status(200));
    let mut office = PostOffice::new(quick()).await;
    let user = office.user("sender").await;
    let due_at = now_ms() + 8_000;
    let order = json!({ "method": "GET", "url": receiver.url("/later") });
    let later = office.order_for(&user, Http, &order, due_at);
    let at_once = office.order_get(&user, &receiver.url("/now"));
    office.open().await;
    office.sent(at_once).await;
    if now_ms() < due_at {
        assert_eq!(office.look_at(later).state, "pending");
    }
    office.sent(later).await;
    let late = now_ms() - due_at;
    assert!((0..5_000).contains(&late), "{late} ms late");
    let paths: Vec<_> = receiver.requests().into_iter().map(|r| r.path).collect();
    assert_eq!(paths, ["/now", "/later"]);
}
