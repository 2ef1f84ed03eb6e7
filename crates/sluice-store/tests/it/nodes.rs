//! Nodes: leases, and claims of what nodes own.

use std::{
    thread,
    time::{Duration, Instant},
};

use rstest::rstest;
use sluice_store::{
    Conn, Result,
    nodes::{self, LEASE_MS, NewNode, NodeState},
    state::{self, Claim},
};

use crate::support::{Db, TestStore, claim, source_id};

pub(crate) fn node(name: &str) -> NewNode {
    NewNode {
        incarnation: name.to_owned(),
        name: format!("host-{name}"),
        address: None,
        public_url: "https://sluice.example.com".to_owned(),
        version: "1.2.3".to_owned(),
        protocol: 1,
    }
}

fn alive(c: &mut dyn Conn) -> Result<Vec<String>> {
    let nodes = nodes::list(c)?.into_iter();
    let alive = nodes.filter(nodes::Node::is_alive);
    Ok(alive.map(|node| node.incarnation).collect())
}

#[rstest]
fn a_node_is_alive_until_it_leaves(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        nodes::lock_joins(c)?;
        nodes::join(c, &node("a"), false)?;
        nodes::join(c, &node("b"), false)?;
        let listed = nodes::list(c)?;
        assert_eq!(listed[0].name, "host-a");
        assert_eq!(listed[0].state, NodeState::Active);
        assert!((1..=LEASE_MS).contains(&listed[0].lease_left_ms));
        let before = nodes::time(c)?;
        let renewed = nodes::renew(c, "a", NodeState::Draining, false)?.unwrap();
        assert!((before..=nodes::time(c)?).contains(&renewed.now_ms));
        assert_eq!(renewed.nodes.len(), 2);
        let a = renewed.nodes.iter().find(|node| node.incarnation == "a");
        assert_eq!(a.unwrap().state, NodeState::Draining);
        assert_eq!(nodes::renew(c, "unknown", NodeState::Active, false)?, None);
        nodes::leave(c, "a")?;
        assert_eq!(alive(c)?, ["b"]);
        Ok(())
    })
    .unwrap();
}

#[rstest]
fn only_a_node_that_is_not_alive_loses_what_it_owns(#[values(Db::Sqlite, Db::Postgres)] db: Db) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        let id = source_id("s");
        nodes::join(c, &node("a"), false)?;
        nodes::join(c, &node("b"), false)?;
        state::insert(c, &id)?;
        claim(c, &id, "a")?;
        let by_b =
            |c: &mut dyn Conn, take_over| state::claim(c, &source_id("s"), &"b".into(), take_over);
        assert_eq!(by_b(c, true)?, Claim::Owned("a".to_owned()));
        // Its own node may claim it at any time.
        assert_eq!(claim(c, &id, "a")?.epoch, 2);
        // A node that has left is known to be gone.
        nodes::leave(c, "a")?;
        assert!(matches!(by_b(c, false)?, Claim::Made(fence) if fence.epoch == 3));
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_lease_that_is_not_renewed_runs_out_by_the_clock_of_the_database() {
    let Some(t) = TestStore::new(Db::Postgres) else {
        return;
    };
    let begun = Instant::now();
    t.write(|c| {
        nodes::join(c, &node("a"), false)?;
        state::insert(c, &source_id("s"))?;
        claim(c, &source_id("s"), "a")
    })
    .unwrap();
    while !t.read(alive).unwrap().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        thread::sleep(Duration::from_millis(50));
    }
    assert!(begun.elapsed() >= Duration::from_millis(2_900));
    t.write(|c| {
        let by_b =
            |c: &mut dyn Conn, take_over| state::claim(c, &source_id("s"), &"b".into(), take_over);
        assert_eq!(by_b(c, false)?, Claim::Owned("a".to_owned()));
        assert!(matches!(by_b(c, true)?, Claim::Made(fence) if fence.epoch == 2));
        assert_eq!(nodes::renew(c, "a", NodeState::Active, false)?, None);
        nodes::join(c, &node("a"), false)
    })
    .unwrap();
    assert_eq!(t.read(alive).unwrap(), ["a"], "it may come back");
}

#[rstest]
fn a_node_works_as_the_only_one_when_all_others_have_stopped(
    #[values(Db::Sqlite, Db::Postgres)] db: Db,
) {
    let Some(t) = TestStore::new(db) else { return };
    t.write(|c| {
        nodes::join(c, &node("a"), false)?;
        assert!(nodes::become_alone(c, "a")?);
        assert!(nodes::list(c)?[0].alone);
        nodes::join(c, &node("b"), false)?;
        assert!(!nodes::become_alone(c, "b")?);
        assert!(!nodes::become_alone(c, "a")?, "b is there");
        nodes::leave(c, "b")?;
        assert!(nodes::become_alone(c, "a")?);
        nodes::leave(c, "a")?;
        assert!(!nodes::become_alone(c, "a")?, "it has no lease");
        Ok(())
    })
    .unwrap();
}
