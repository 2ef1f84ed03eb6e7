//! `$.send.s3`, to a real server.

use serde_json::{Value, json};
use sluice_testkit::{
    now_ms,
    receiver::{Answer, Receiver},
};

use super::{
    post_office::{PostOffice, SendKind::S3},
    s3_server::{S3Server, options},
};
use crate::support::own_server;

fn order(prefix: &str, payload: &Value) -> Value {
    json!({ "bucket": "some-bucket", "prefix": prefix, "payload": payload })
}

#[tokio::test]
async fn what_is_due_in_one_minute_for_one_place_is_one_object() {
    let s3 = S3Server::start();
    let mut office = PostOffice::new(s3.options()).await;
    let (user, other) = (office.user("one").await, office.user("other").await);
    let due = now_ms();
    let mut ids = Vec::new();
    for (user, prefix, payload) in [
        (&user, "logs/a", json!({ "n": 1 })),
        (&user, "logs/b", json!("elsewhere")),
        (&user, "logs/a", json!("plain text")),
        (&other, "logs/a", json!("another user's")),
    ] {
        ids.push(office.order_for(user, S3, &order(prefix, &payload), due));
    }
    office.open().await;
    let mut keys = Vec::new();
    for id in &ids {
        let (key, tries) = office.sent(*id).await;
        assert_eq!(tries, 1);
        keys.push(key);
    }
    let objects = s3.objects();
    assert_eq!(objects.len(), 3, "{objects:#?}");
    assert_eq!(objects[&keys[0]], ["{\"n\":1}", "plain text"]);
    assert_eq!(objects[&keys[1]], ["elsewhere"]);
    assert_eq!(keys[0], keys[2]);
    assert_eq!(objects[&keys[3]], ["another user's"]);
    // prefix/YYYY/MM/DD/HH/YYYY-MM-DD-HH-MM-SS-<hash>.gz
    let parts: Vec<&str> = keys[0].split('/').collect();
    let [_, _, year, month, day, hour, name] = parts.as_slice() else {
        panic!("{keys:?}");
    };
    let start = format!("{year}-{month}-{day}-{hour}-");
    assert!(
        keys[0].starts_with("logs/a/20") && name.starts_with(&start),
        "{keys:?}"
    );
    assert_eq!(name.rsplit_once('.').map(|(_, end)| end), Some("gz"));
}

#[tokio::test]
async fn a_batch_that_is_too_large_for_one_object_makes_several() {
    let s3 = S3Server::start();
    let mut office = PostOffice::new(s3.options()).await;
    let user = office.user("one").await;
    let due = now_ms();
    let ids: Vec<_> = (0..2_500)
        .map(|number| office.order_for(&user, S3, &order("many", &json!(number)), due))
        .collect();
    office.open().await;
    for id in ids {
        office.sent(id).await;
    }
    let objects = s3.objects();
    let mut sizes: Vec<usize> = objects.values().map(Vec::len).collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [500, 1_000, 1_000]);
    let mut numbers: Vec<u32> = objects
        .values()
        .flatten()
        .map(|line| line.parse().expect("a number"))
        .collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..2_500));
}

#[tokio::test]
async fn a_bucket_that_is_not_there_and_names_that_are_none_fail_at_once() {
    let s3 = S3Server::start();
    let mut office = PostOffice::new(s3.options()).await;
    let user = office.user("one").await;
    let orders = [
        json!({ "bucket": "no-such-bucket", "prefix": "a", "payload": 1 }),
        json!({ "bucket": "../some-bucket", "prefix": "a", "payload": 1 }),
        json!({ "bucket": "some-bucket", "prefix": "../other", "payload": 1 }),
        json!({ "bucket": "some-bucket" }),
    ];
    let ids = orders.map(|order| office.order(&user, S3, &order));
    office.open().await;
    let reasons = [
        "NoSuchBucket",
        "no name of a bucket",
        "the prefix",
        "prefix",
    ];
    for (id, reason) in ids.into_iter().zip(reasons) {
        let (why, tries) = office.failed(id).await;
        assert!(why.contains(reason), "{why}");
        assert_eq!(tries, 1);
    }
}

#[tokio::test]
async fn a_repeat_writes_the_same_object() {
    // One that is out of order, one that never answers and meets a kill, and one that works.
    let s3 = Receiver::start(|request| match request.number {
        1 => Answer::status(503),
        2 => Answer::Hang,
        _ => Answer::status(200),
    });
    let mut office = PostOffice::new(options(&s3.url(""))).await;
    let user = office.user("one").await;
    let due = now_ms();
    let ids = [1, 2, 3].map(|n| office.order_for(&user, S3, &order("logs", &json!(n)), due));
    office.open().await;
    s3.wait_for(2).await;
    office.server.restart().await;
    for id in ids {
        assert_eq!(office.sent(id).await.1, 2);
    }
    let requests = s3.requests();
    assert_eq!(requests.len(), 3);
    let object = |number: usize| {
        let path = requests[number].path.split('?').next();
        (path.map(str::to_owned), requests[number].body.clone())
    };
    assert_eq!(object(0), object(1));
    assert_eq!(object(1), object(2));
    assert_eq!(requests[0].method, "PUT");
}

#[tokio::test]
async fn a_server_without_s3_says_so() {
    let mut office = PostOffice::new(own_server()).await;
    let user = office.user("one").await;
    let id = office.order(&user, S3, &order("logs", &json!(1)));
    office.open().await;
    let expected = "this server writes to no S3: --s3-endpoint is not set";
    assert_eq!(office.failed(id).await, (expected.to_owned(), 1));
}
