//! Nobody waits behind another: not behind a peer that hangs, and not behind a user who sends much.

use std::time::Duration;

use sluice_testkit::receiver::{Answer, Receiver};

use super::post_office::PostOffice;
use crate::support::own_server;

#[tokio::test]
async fn a_peer_that_hangs_holds_up_nothing_for_others() {
    let hung = Receiver::start(|_| Answer::Hang);
    let well = Receiver::start(|_| Answer::status(200));
    let options = own_server()
        .arg("--allow-private-network")
        .args(["--send-timeout", "10m"]);
    let mut office = PostOffice::new(options).await;
    let user = office.user("sender").await;
    // More than one queue holds in memory at once.
    let stuck: Vec<_> = (0..700)
        .map(|_| office.order_get(&user, &hung.url("/")))
        .collect();
    let behind = office.order_get(&user, &well.url("/"));
    office.open().await;
    office.sent(behind).await;
    assert!(hung.count() <= 8, "{} at once", hung.count());
    for id in stuck {
        let known = office.look_at(id);
        assert_eq!((known.state.as_str(), known.tries), ("pending", 0));
    }
}

#[tokio::test]
async fn a_user_who_sends_much_holds_up_nobody_else() {
    let slow = || Receiver::start(|_| Answer::status(200).after(Duration::from_millis(100)));
    let receivers = [(); 5].map(|()| slow());
    // As many as one queue takes at once.
    let options = own_server()
        .arg("--allow-private-network")
        .args(["--max-sends", "32"]);
    let mut office = PostOffice::new(options).await;
    let (many, one) = (office.user("many").await, office.user("one").await);
    for _ in 0..200 {
        for receiver in &receivers {
            office.order_get(&many, &receiver.url("/many"));
        }
    }
    let single = office.order_get(&one, &receivers[0].url("/one"));
    office.open().await;
    office.sent(single).await;
    let before: usize = receivers.iter().map(Receiver::count).sum();
    assert!(before < 500, "{before} went first");
}
