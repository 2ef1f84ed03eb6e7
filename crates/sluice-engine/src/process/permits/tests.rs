use std::{convert::Infallible, pin::pin};

use parking_lot::Mutex as Lock;
use sluice_model::SourceId;
use tokio::time::timeout;

use super::*;

const PATIENCE: Duration = Duration::from_secs(30);

/// Idle processes by the names of their sources. An eviction releases the permit.
#[derive(Clone, Default)]
struct Evicted(Arc<Lock<Vec<&'static str>>>);

struct IdleProcess {
    name: &'static str,
    permit: Lock<Option<ProcessPermit>>,
    evicted: Evicted,
}

impl Evict for IdleProcess {
    fn evict(&self) {
        self.evicted.0.lock().push(self.name);
        // A process ends after it was told to.
        let permit = self.permit.lock().take();
        tokio::spawn(async move { drop(permit) });
    }
}

fn user(name: &str) -> UserId {
    UserId::parse(&format!("u_{name}")).expect("an id")
}

fn source(name: &str) -> EmitterId {
    SourceId::parse(&format!("dc_{name}"))
        .expect("an id")
        .into()
}

/// Start permits without a limit.
fn unlimited() -> BoxFuture<'static, Result<(), Infallible>> {
    Box::pin(async { Ok(()) })
}

/// Start permits of which a user may hold all.
fn starts(total: usize) -> FairPermits {
    let per_user = total;
    FairPermits::new(PermitLimits { total, per_user })
}

async fn admit(permits: &Permits, user: &UserId) -> Admission<()> {
    let Ok(admission) = permits.acquire(user, unlimited, |()| false).await;
    admission
}

/// Waits within limited start permits.
async fn start(permits: &Permits, starts: &FairPermits, user: &UserId) -> Admission<FairPermit> {
    let start = || -> BoxFuture<'_, Result<FairPermit, Infallible>> {
        Box::pin(async { Ok(starts.acquire(&Some(user.clone())).await) })
    };
    let Ok(admission) = permits.acquire(user, start, |_| false).await;
    admission
}

async fn acquire(permits: &Permits, name: &str) -> ProcessPermit {
    let acquired = timeout(PATIENCE, admit(permits, &user(name))).await;
    acquired.expect("an answer").permit.expect("a permit")
}

async fn busy(permits: &Permits, name: &str, count: usize) -> Vec<ProcessPermit> {
    let mut held = Vec::new();
    for _ in 0..count {
        held.push(acquire(permits, name).await);
    }
    held
}

async fn idle(permits: &Permits, name: &str, source_name: &'static str, evicted: &Evicted) {
    idle_until(permits, name, source_name, None, evicted).await;
}

async fn idle_until(
    permits: &Permits,
    name: &str,
    source_name: &'static str,
    due: Option<i64>,
    evicted: &Evicted,
) {
    let permit = acquire(permits, name).await;
    become_idle(permits, name, source_name, due, permit, evicted);
}

fn become_idle(
    permits: &Permits,
    name: &str,
    source_name: &'static str,
    due: Option<i64>,
    permit: ProcessPermit,
    evicted: &Evicted,
) {
    let process = IdleProcess {
        name: source_name,
        permit: Lock::new(Some(permit)),
        evicted: evicted.clone(),
    };
    permits.idle(
        &source(source_name),
        &user(name),
        due,
        None,
        Box::new(process),
    );
}

fn all_of(total: usize) -> PermitLimits {
    PermitLimits {
        total,
        per_user: total,
    }
}

#[tokio::test(start_paused = true)]
async fn a_user_whose_processes_are_all_busy_does_not_delay_another() {
    let permits = Permits::new(PermitLimits::three_quarters(8));
    let busy = busy(&permits, "a", 6).await;
    let a = user("a");
    let mut more = pin!(admit(&permits, &a));
    assert!(timeout(2 * LONG_WAIT, &mut more).await.is_err());
    assert_eq!(permits.own_limit(&a), Some(OwnLimit::Count));
    let admission = admit(&permits, &user("b")).await;
    assert_eq!((admission.delay, permits.in_use().delayed), (None, 0));
    drop(busy);
    let delay = more.await.delay.expect("a long wait").to_string();
    assert!(delay.contains("--max-processes-per-account"), "{delay}");
    assert_eq!(permits.in_use().delayed, 1);
}

#[tokio::test]
async fn the_user_with_most_processes_gives_up_the_one_that_is_idle_longest() {
    let permits = Permits::new(PermitLimits::three_quarters(4));
    let evicted = Evicted::default();
    idle(&permits, "b", "b1", &evicted).await;
    idle(&permits, "a", "a1", &evicted).await;
    idle(&permits, "a", "a2", &evicted).await;
    idle(&permits, "c", "c1", &evicted).await;
    acquire(&permits, "d").await;
    assert_eq!(*evicted.0.lock(), ["a1"]);
}

#[tokio::test]
async fn the_process_that_is_due_last_is_given_up_first() {
    let permits = Permits::new(all_of(5));
    let evicted = Evicted::default();
    for (name, due) in [
        ("soon", Some(1)),
        ("late", Some(3)),
        ("never", None),
        ("never2", None),
        ("later", Some(2)),
    ] {
        idle_until(&permits, "a", name, due, &evicted).await;
    }
    for _ in 0..4 {
        // It is busy from then on.
        std::mem::forget(acquire(&permits, "b").await);
    }
    assert_eq!(*evicted.0.lock(), ["never", "never2", "late", "later"]);
}

#[tokio::test]
async fn a_user_with_fewer_processes_keeps_even_the_one_that_is_due_last() {
    let permits = Permits::new(all_of(3));
    let evicted = Evicted::default();
    idle_until(&permits, "a", "a1", None, &evicted).await;
    idle_until(&permits, "b", "b1", Some(1), &evicted).await;
    idle_until(&permits, "b", "b2", Some(2), &evicted).await;
    acquire(&permits, "c").await;
    assert_eq!(*evicted.0.lock(), ["b2"]);
}

#[tokio::test]
async fn a_user_at_its_limit_gives_up_only_its_own() {
    let permits = Permits::new(PermitLimits {
        total: 8,
        per_user: 3,
    });
    let evicted = Evicted::default();
    idle(&permits, "b", "b1", &evicted).await;
    let _busy = busy(&permits, "a", 2).await;
    idle(&permits, "a", "a1", &evicted).await;
    acquire(&permits, "a").await;
    assert_eq!(*evicted.0.lock(), ["a1"]);
}

#[tokio::test]
async fn a_waiting_user_gets_the_process_that_becomes_idle() {
    let permits = Permits::new(all_of(2));
    let starts = starts(1);
    let evicted = Evicted::default();
    let mut busy = busy(&permits, "a", 2).await;
    let b = user("b");
    let mut waiting = pin!(start(&permits, &starts, &b));
    assert!(timeout(Duration::ZERO, &mut waiting).await.is_err());
    let other = starts.acquire(&None).await;
    let permit = busy.pop().expect("it has two");
    become_idle(&permits, "a", "a1", None, permit, &evicted);
    // Nothing is stopped for a process that cannot start yet.
    assert!(timeout(Duration::ZERO, &mut waiting).await.is_err());
    assert!(evicted.0.lock().is_empty());
    drop(other);
    timeout(PATIENCE, waiting).await.expect("a permit");
    assert_eq!(*evicted.0.lock(), ["a1"]);
}

#[tokio::test(start_paused = true)]
async fn an_idle_process_that_gets_work_is_not_the_last_one_asked() {
    struct Refusing(Evicted);
    impl Evict for Refusing {
        fn evict(&self) {
            self.0.0.lock().push("refused");
        }
    }
    let permits = Permits::new(all_of(2));
    let evicted = Evicted::default();
    let _held = acquire(&permits, "a").await;
    let refusing = Box::new(Refusing(evicted.clone()));
    permits.idle(&source("a0"), &user("a"), None, None, refusing);
    idle(&permits, "a", "a1", &evicted).await;
    acquire(&permits, "b").await;
    assert_eq!(*evicted.0.lock(), ["refused", "a1"]);
}

#[tokio::test(start_paused = true)]
async fn a_rush_evicts_no_more_processes_than_it_starts() {
    const START: Duration = Duration::from_millis(40);
    let permits = Permits::new(all_of(4));
    let starts = starts(1);
    let evicted = Evicted::default();
    for name in ["i1", "i2", "i3", "i4"] {
        idle(&permits, "a", name, &evicted).await;
    }
    let mut rush = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (permits, starts) = (permits.clone(), starts.clone());
        rush.spawn(async move {
            let admission = start(&permits, &starts, &user("a")).await;
            tokio::time::sleep(START).await;
            drop(admission.start);
            // It stays busy.
            std::mem::forget(admission.permit);
        });
    }
    tokio::time::sleep(START * 2 + START / 2).await;
    assert_eq!(evicted.0.lock().len(), 3, "two started, one is starting");
    tokio::time::sleep(START * 4).await;
    assert_eq!(evicted.0.lock().len(), 4);
    // All are busy: no start permit is held.
    assert_eq!(starts.in_use().held, 0);
    assert_eq!(permits.in_use().waiting, 16);
}

#[tokio::test(start_paused = true)]
async fn a_start_permit_is_not_held_while_all_processes_are_busy() {
    let permits = Permits::new(all_of(2));
    let starts = starts(1);
    let busy = busy(&permits, "a", 2).await;
    let (b, c) = (user("b"), user("c"));
    let mut first = pin!(start(&permits, &starts, &b));
    let mut second = pin!(start(&permits, &starts, &c));
    assert!(timeout(LONG_WAIT, &mut first).await.is_err());
    assert!(timeout(LONG_WAIT, &mut second).await.is_err());
    // A question can start.
    let question = timeout(Duration::ZERO, starts.acquire(&None)).await;
    drop(question.expect("a start permit"));
    drop(busy);
    let first = timeout(PATIENCE, first).await.expect("both permits");
    drop(first.start);
    timeout(PATIENCE, second).await.expect("both permits");
}

#[tokio::test(start_paused = true)]
async fn a_victim_that_does_not_end_delays_other_starts_only_briefly() {
    struct Endless;
    impl Evict for Endless {
        fn evict(&self) {}
    }
    let permits = Permits::new(all_of(1));
    let starts = starts(1);
    let _held = acquire(&permits, "a").await;
    permits.idle(&source("a1"), &user("a"), None, None, Box::new(Endless));
    let b = user("b");
    let mut waiting = pin!(start(&permits, &starts, &b));
    assert!(timeout(LONG_WAIT, &mut waiting).await.is_err());
    assert_eq!(starts.in_use().held, 0);
}

#[tokio::test(start_paused = true)]
async fn users_with_parked_starts_take_turns() {
    let permits = Permits::new(all_of(2));
    let mut held = busy(&permits, "x", 2).await;
    let order: Arc<Lock<Vec<&'static str>>> = Arc::default();
    let mut tasks = tokio::task::JoinSet::new();
    for name in ["a", "a", "a", "b"] {
        let (permits, order) = (permits.clone(), Arc::clone(&order));
        tasks.spawn(async move {
            let permit = acquire(&permits, name).await;
            order.lock().push(name);
            tokio::time::sleep(Duration::from_millis(10)).await;
            drop(permit);
        });
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    drop(held.pop());
    while let Some(ended) = tasks.join_next().await {
        ended.expect("no panic");
    }
    assert_eq!(*order.lock(), ["a", "b", "a", "a"]);
    assert_eq!(permits.in_use().waiting, 0);
}

#[tokio::test(start_paused = true)]
async fn a_parked_start_that_gives_up_leaves_its_permit_to_the_next() {
    let permits = Permits::new(all_of(1));
    let starts = starts(1);
    let held = acquire(&permits, "a").await;
    let b = user("b");
    let mut first = Box::pin(start(&permits, &starts, &b));
    assert!(timeout(Duration::ZERO, &mut first).await.is_err());
    let c = user("c");
    let mut second = pin!(start(&permits, &starts, &c));
    assert!(timeout(Duration::ZERO, &mut second).await.is_err());
    // The first is woken, and does not take the permit.
    drop(held);
    drop(first);
    timeout(PATIENCE, second).await.expect("both permits");
}

/// An owner in a process that others share. The last one that is evicted releases the permit.
struct SharedOwner {
    name: &'static str,
    permit: Arc<ProcessPermit>,
    evicted: Evicted,
}

impl Evict for Lock<Option<SharedOwner>> {
    fn evict(&self) {
        let owner = self.lock().take();
        if let Some(owner) = &owner {
            owner.evicted.0.lock().push(owner.name);
        }
        tokio::spawn(async move { drop(owner.map(|owner| owner.permit)) });
    }
}

#[tokio::test(start_paused = true)]
async fn a_shared_process_is_evicted_when_all_its_owners_are_idle() {
    let permits = Permits::new(all_of(1));
    let permit = Arc::new(acquire(&permits, "a").await);
    let evicted = Evicted::default();
    let place = SharedPlace::new(7, Arc::new(2.into()));
    let list = |name: &'static str| {
        let owner = SharedOwner {
            name,
            permit: Arc::clone(&permit),
            evicted: evicted.clone(),
        };
        let owner = Box::new(Lock::new(Some(owner)));
        permits.idle(&source(name), &user("a"), None, Some(place.clone()), owner);
    };
    list("a0");
    let b = user("b");
    let mut other = pin!(admit(&permits, &b));
    assert!(timeout(2 * LONG_WAIT, &mut other).await.is_err());
    list("a1");
    drop(permit);
    let admission = timeout(PATIENCE, other).await.expect("a permit in time");
    assert!(admission.permit.is_some());
    let mut evicted = evicted.0.lock().clone();
    evicted.sort_unstable();
    assert_eq!(evicted, ["a0", "a1"]);
}

#[tokio::test]
async fn a_start_that_joins_a_process_needs_no_permit() {
    let permits = Permits::new(all_of(1));
    let held = acquire(&permits, "a").await;
    let Ok(admission) = permits.acquire(&user("a"), unlimited, |()| true).await;
    assert!(admission.permit.is_none());
    drop(held);
}
