//! What is to be sent is sent at least once, whatever ends the server, and hardly ever twice.

use std::{collections::BTreeMap, time::Duration};

use sluice_testkit::receiver::{Answer, Receiver};

use super::post_office::PostOffice;
use crate::support::own_server;

#[tokio::test]
async fn a_server_that_is_killed_sends_the_rest_at_its_next_start() {
    let receiver = Receiver::start(|_| Answer::status(200).after(Duration::from_millis(5)));
    let mut office = PostOffice::new(own_server().arg("--allow-private-network")).await;
    let user = office.user("sender").await;
    let ids: Vec<_> = (0..300)
        .map(|number| office.order_get(&user, &receiver.url(&format!("/{number}"))))
        .collect();
    office.open().await;
    for count in [50, 120, 200] {
        receiver.wait_for(count).await;
        office.server.restart().await;
    }
    for id in ids {
        office.sent(id).await;
    }
    let mut times = BTreeMap::<String, usize>::new();
    for request in receiver.requests() {
        *times.entry(request.path).or_default() += 1;
    }
    assert_eq!(times.len(), 300);
    // Only what was under way at a kill comes again.
    assert!(receiver.count() <= 300 + 3 * 8, "{}", receiver.count());
    assert!(times.values().all(|times| *times <= 4), "{times:?}");
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_waits_for_answers_and_records_them() {
    let receiver = Receiver::start(|_| Answer::status(200).after(Duration::from_secs(1)));
    let mut office = PostOffice::new(own_server().arg("--allow-private-network")).await;
    let user = office.user("sender").await;
    let ids: Vec<_> = (0..20)
        .map(|_| office.order_get(&user, &receiver.url("/")))
        .collect();
    office.open().await;
    receiver.wait_for(8).await;
    let status = office.server.terminate().await;
    assert!(status.success(), "{status:?}");
    let begun = receiver.count();
    assert!(begun < 20, "nothing is begun any more");
    let sent = ids.iter().filter(|id| office.look_at(**id).state == "sent");
    assert_eq!(sent.count(), begun);
    office.server.restart().await;
    for id in ids {
        assert_eq!(office.sent(id).await.1, 1);
    }
    assert_eq!(receiver.count(), 20);
}
