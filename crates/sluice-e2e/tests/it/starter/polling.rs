//! `rss`, `sitemap`, `url-changed` and `json-poll` against a server on loopback.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use sluice_testkit::receiver::{Answer, Delivery, Receiver};

use super::{deploy_key, failure, poll, rarely, user};
use crate::support::Deployed;

/// A source that polls `path` of a server, which answers by the number of polls before.
async fn polling(
    key: &str,
    path: &str,
    mut props: Value,
    answer: impl Fn(usize, &Delivery) -> Answer + Send + Sync + 'static,
) -> (Deployed, Receiver, Arc<AtomicUsize>) {
    let polls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&polls);
    let server = Receiver::start(move |request| answer(count.load(Ordering::SeqCst), request));
    props["url"] = server.url(path).into();
    props["timer"] = rarely();
    let source = deploy_key(&user().await, key, props).await;
    (source, server, polls)
}

async fn poll_again(source: &Deployed, polls: &AtomicUsize) {
    poll(source).await;
    polls.fetch_add(1, Ordering::SeqCst);
}

fn fields(events: &[Value], field: &str) -> Vec<Value> {
    events.iter().map(|event| event[field].clone()).collect()
}

fn feed(entries: impl IntoIterator<Item = usize>) -> String {
    let entry = |number| {
        format!(
            "<item><title>Post {number}</title><link>/{number}</link><pubDate>Wed, 15 Jan 2025 09:{number:02}:00 GMT</pubDate></item>"
        )
    };
    let items = entries.into_iter().map(entry).collect::<Vec<_>>().concat();
    format!("<rss version=\"2.0\"><channel><title>Blog</title>{items}</channel></rss>")
}

#[tokio::test]
async fn entries_of_a_feed_are_emitted_once_and_an_unchanged_feed_is_not_sent() {
    let props = json!({ "initialItems": 2 });
    let (source, server, polls) = polling("rss", "/feed", props, |polls, request| {
        match (polls, request.header("if-none-match")) {
            (1, Some("\"v0\"")) => Answer::status(304),
            (0, _) => Answer::status(200)
                .header("etag", "\"v0\"")
                .body(feed(0..40)),
            _ => Answer::status(200).body(feed(0..41)),
        }
    })
    .await;
    for _ in 0..3 {
        poll_again(&source, &polls).await;
    }
    let events = source.events(3).await;
    assert_eq!(fields(&events, "title"), ["Post 38", "Post 39", "Post 40"]);
    assert_eq!(events[2]["link"], server.url("/40"));
    assert_eq!(server.count(), 3);
}

#[tokio::test]
async fn hostile_feeds_fail_soon() {
    let entity = |n: usize| format!("<!ENTITY e{} \"{}\">", n + 1, format!("&e{n};").repeat(10));
    let entities = (0..10).map(entity).collect::<Vec<_>>().concat();
    let laughs = format!(
        "<!DOCTYPE rss [<!ENTITY e0 \"ha\">{entities}]><rss><channel><item><title>&e10;</title></item></channel></rss>"
    );
    let (source, _server, polls) = polling("rss", "/", json!({}), move |polls, _| match polls {
        0 => Answer::status(200).body(laughs.clone()),
        1 => Answer::status(200).body("x".repeat(50_000_000)),
        2 => Answer::status(200).body("<rss><channel><item><title>never closed"),
        _ => Answer::status(200).body("<".repeat(1_000_000)),
    })
    .await;
    let begun = Instant::now();
    poll_again(&source, &polls).await;
    let events = source.events(1).await;
    assert!(events[0].to_string().len() < 1_000, "{events:?}");
    let large = failure(&source).await;
    assert!(large.contains("larger than"), "{large}");
    polls.fetch_add(1, Ordering::SeqCst);
    poll_again(&source, &polls).await;
    assert_eq!(source.events(2).await[1]["title"], "never closed");
    let no_feed = failure(&source).await;
    assert!(no_feed.contains("is not a feed"), "{no_feed}");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn pages_of_sitemaps_are_found_through_an_index() {
    let set =
        |page: &str| format!("<urlset><url><loc>https://example.com/{page}</loc></url></urlset>");
    let (source, _server, polls) = polling("sitemap", "/index.xml", json!({}), move |polls, request| {
        let body = match request.path.as_str() {
            "/index.xml" => "<sitemapindex><sitemap><loc>/one.xml</loc></sitemap><sitemap><loc>/two.xml</loc></sitemap></sitemapindex>".to_owned(),
            "/one.xml" => set("a"),
            _ if polls == 0 => set("b"),
            _ => set("c"),
        };
        Answer::status(200).body(body)
    })
    .await;
    poll_again(&source, &polls).await;
    poll_again(&source, &polls).await;
    let mut urls = fields(&source.events(3).await, "url");
    urls.sort_by_key(Value::to_string);
    let expected = ["a", "b", "c"].map(|page| format!("https://example.com/{page}"));
    assert_eq!(urls, expected);
}

#[tokio::test]
async fn a_change_of_a_page_is_emitted() {
    let (source, _server, polls) = polling("url-changed", "/", json!({}), |polls, _| {
        let text = ["Outage", "Outage", "All well"][polls];
        let page = format!("<script>{polls}</script><p>{text}</p>");
        Answer::status(200)
            .header("content-type", "text/html")
            .body(page)
    })
    .await;
    for _ in 0..3 {
        poll_again(&source, &polls).await;
    }
    let events = source.events(1).await;
    assert_eq!(
        (&events[0]["removed"], &events[0]["added"]),
        (&json!("Outage"), &json!("All well"))
    );
}

#[tokio::test]
async fn items_of_an_api_are_emitted_once_over_its_pages() {
    let props =
        json!({ "itemsPath": "data", "idPath": "id", "nextPath": "next", "token": "secret" });
    let (source, server, polls) = polling("json-poll", "/items", props, |polls, request| {
        let page = if request.path.ends_with('2') {
            json!({ "data": [{ "id": 1 }] })
        } else if polls == 0 {
            json!({ "data": [{ "id": 2 }], "next": "/items?page=2" })
        } else {
            json!({ "data": [{ "id": 3 }, { "id": 2 }], "next": null })
        };
        Answer::status(200).body(page.to_string())
    })
    .await;
    poll_again(&source, &polls).await;
    poll_again(&source, &polls).await;
    let mut ids = fields(&source.events(3).await, "id");
    ids.sort_by_key(Value::as_i64);
    assert_eq!(ids, [1, 2, 3]);
    let is_authorized =
        |request: &Delivery| request.header("authorization") == Some("Bearer secret");
    assert!(server.requests().iter().all(is_authorized));
}
