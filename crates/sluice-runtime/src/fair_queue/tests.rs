use super::*;

fn user(name: &str) -> PermitUser {
    UserId::parse(&format!("u_{name}"))
}

fn queue(total: usize) -> FairQueue<&'static str> {
    FairQueue::new(PermitLimits::three_quarters(total))
}

/// Takes permits until none is left for the user. Returns their number.
fn take_all(queue: &mut FairQueue<&'static str>, name: &str) -> usize {
    let mut count = 0;
    while queue.try_take(&user(name)) {
        count += 1;
    }
    count
}

fn granted(queue: &mut FairQueue<&'static str>) -> Vec<&'static str> {
    let granted = queue.grant(Instant::now()).into_iter();
    granted.map(|(_, waiter)| waiter).collect()
}

#[test]
fn one_user_gets_three_quarters_and_the_next_gets_its_first_at_once() {
    for (total, expected) in [(1, 1), (2, 2), (3, 3), (4, 3), (8, 6), (200, 150)] {
        let mut queue = queue(total);
        assert_eq!(take_all(&mut queue, "a"), expected, "of {total}");
        assert_eq!(queue.try_take(&user("b")), expected < total, "of {total}");
    }
}

#[test]
fn some_are_left_when_several_users_take_all_they_can() {
    let mut queue = queue(200);
    for name in ["a", "b", "c", "d"] {
        assert!(take_all(&mut queue, name) > 0);
        assert!(queue.try_take(&user("new")), "after {name}");
        queue.release(&user("new"));
    }
}

#[test]
fn an_operator_can_let_one_user_have_all_or_few() {
    let limits = |per_user| PermitLimits { total: 8, per_user };
    let mut all = FairQueue::new(limits(8));
    assert_eq!(take_all(&mut all, "a"), 8);
    let mut few = FairQueue::new(limits(2));
    for name in ["a", "b", "c"] {
        assert_eq!(take_all(&mut few, name), 2, "{name}");
    }
    assert_eq!(take_all(&mut few, "d"), 1, "one is left");
}

#[test]
fn waiting_users_take_turns() {
    let mut queue = FairQueue::new(PermitLimits {
        total: 1,
        per_user: 1,
    });
    assert!(queue.try_take(&user("a")));
    for (name, waiter) in [
        ("a", "a1"),
        ("a", "a2"),
        ("b", "b1"),
        ("c", "c1"),
        ("b", "b2"),
    ] {
        queue.wait(&user(name), waiter, Instant::now());
    }
    let mut order = Vec::new();
    let mut holder = user("a");
    for _ in 0..5 {
        queue.release(&holder);
        let mut next = queue.grant(Instant::now());
        assert_eq!(next.len(), 1);
        let (user, waiter) = next.remove(0);
        order.push(waiter);
        holder = user;
    }
    assert_eq!(order, ["a1", "b1", "c1", "a2", "b2"]);
}

#[test]
fn a_user_beyond_its_share_does_not_hold_up_those_behind_it() {
    let mut queue = queue(8);
    take_all(&mut queue, "a");
    queue.wait(&user("a"), "a", Instant::now());
    assert_eq!(queue.own_limit(&user("a")), Some(OwnLimit::Count));
    assert!(granted(&mut queue).is_empty());
    assert_eq!(take_all(&mut queue, "b"), 1);
    assert_eq!(take_all(&mut queue, "c"), 1);
    queue.wait(&user("d"), "d", Instant::now());
    assert_eq!(queue.own_limit(&user("d")), None);
    queue.release(&user("a"));
    assert_eq!(granted(&mut queue), ["d"]);
    assert_eq!(queue.waiting(), [user("a")]);
}

#[test]
fn a_blocked_user_keeps_its_permits_and_gets_no_more() {
    let mut queue = queue(8);
    assert!(queue.try_take(&user("a")));
    let Some(a) = user("a") else { return };
    queue.block(std::slice::from_ref(&a));
    assert!(!queue.try_take(&user("a")));
    queue.wait(&user("a"), "a", Instant::now());
    assert_eq!(queue.own_limit(&user("a")), Some(OwnLimit::Blocked));
    assert!(granted(&mut queue).is_empty());
    queue.block(&[]);
    assert_eq!(granted(&mut queue), ["a"]);
}

#[test]
fn a_user_without_permits_is_forgotten_and_late_grants_are_counted() {
    let mut queue = queue(1);
    let start = Instant::now();
    assert!(queue.try_take(&user("a")));
    let number = queue.wait(&user("b"), "b", start);
    queue.wait(&user("c"), "c", start);
    queue.cancel(&user("b"), number);
    queue.release(&user("a"));
    assert_eq!(queue.grant(start + 2 * DELAYED).len(), 1);
    assert_eq!(queue.in_use().delayed, 1);
    queue.release(&user("c"));
    assert!(queue.users.is_empty() && queue.turns.is_empty());
    assert_eq!(queue.in_use().held, 0);
}
