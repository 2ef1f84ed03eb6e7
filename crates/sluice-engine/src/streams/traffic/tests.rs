//! Counting while someone reads, here or on another node.

use std::sync::atomic::Ordering;

use super::*;

#[tokio::test]
async fn counts_exist_while_a_reader_is_connected() {
    let traffic = WatchedUsers::default();
    let (user, emitter) = (
        UserId::parse("u_a").unwrap(),
        EmitterId::parse("dc_a").unwrap(),
    );
    let event = Counts {
        events: 1,
        ..Counts::default()
    };
    let count = || {
        traffic.count(&user, |second| {
            second.committed(&emitter, event, &Recipients::default());
        });
    };
    count();
    assert!(traffic.users.lock().is_empty());

    let clock = tokio::spawn(std::future::pending());
    let running = clock.abort_handle();
    let mut first = traffic.watch(&user, || clock);
    let second = traffic.watch(&user, || panic!("one ticker is enough"));
    traffic.publish(&user, 1);
    count();
    count();
    traffic.publish(&user, 2);
    let second_read = first.try_recv().unwrap();
    assert_eq!(
        (
            second_read.second.ts,
            second_read.second.emitters[0].1.events
        ),
        (2, 2)
    );
    assert!(first.try_recv().is_err(), "nothing happened before that");

    drop(first);
    traffic.unwatch(&user);
    assert_eq!(traffic.count.load(Ordering::Relaxed), 1);
    drop(second);
    traffic.unwatch(&user);
    assert_eq!(traffic.count.load(Ordering::Relaxed), 0);
    assert!(traffic.users.lock().is_empty());
    while !running.is_finished() {
        tokio::task::yield_now().await;
    }
}

fn no_ticker() -> JoinHandle<()> {
    tokio::spawn(std::future::pending())
}

#[tokio::test]
async fn a_reader_sees_the_traffic_of_all_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let (infra, _) = sluice_infra::testing::infra(folder.path());
    let (user, emitter) = (
        UserId::parse("u_a").unwrap(),
        EmitterId::parse("dc_a").unwrap(),
    );
    let webhook = WebhookId::parse("wh_a").unwrap();
    let mut reached = Recipients::default();
    reached.add(&sluice_store::routes::Listener::Webhook(webhook.clone()));
    let [here, there] = [(); 2].map(|()| Traffic::new(infra.clone()));
    // Both nodes have readers, and tell each other their own traffic only.
    let mut readers = [&here, &there].map(|node| {
        node.watched.count_here(&user, no_ticker);
        node.watched.watch(&user, no_ticker)
    });
    for node in [&here, &there] {
        let counts = Counts {
            events: 2,
            ..Counts::default()
        };
        node.committed(&user, &emitter, counts, &reached);
        let attempts = WebhookTraffic {
            delivered: 1,
            failed: 3,
        };
        node.attempted(&user, &webhook, attempts);
    }
    let sent = there.watched.publish(&user, 1).unwrap();
    let message = TrafficMessage::new(&user, sent);
    assert!(here.receive(&serde_json::to_vec(&message).unwrap()));
    let to_others = here.watched.publish(&user, 2).unwrap();
    assert_eq!(to_others.emitters[0].1.events, 2);
    let TrafficSecond {
        emitters,
        routes,
        webhooks,
        ..
    } = &readers[0].try_recv().unwrap().second;
    assert_eq!(emitters[0].1.events, 4);
    assert_eq!(routes[0].count, 2);
    assert_eq!(webhooks[0].1.failed, 6);
    assert!(!here.receive(b"[]"));
}

#[tokio::test]
async fn a_node_counts_for_others_while_they_have_readers() {
    let traffic = WatchedUsers::default();
    let user = UserId::parse("u_a").unwrap();
    traffic.count_here(&user, no_ticker);
    traffic.unwatch(&user);
    assert_eq!(traffic.count.load(Ordering::Relaxed), 1);
    traffic.unfollow(&user);
    assert_eq!(traffic.count.load(Ordering::Relaxed), 0);
}
