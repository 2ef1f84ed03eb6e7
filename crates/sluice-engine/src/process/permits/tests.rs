use std::pin::pin;

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
    permit: Lock<Option<FairPermit>>,
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

async fn acquire(permits: &Permits, name: &str) -> FairPermit {
    let acquired = timeout(PATIENCE, permits.acquire(&user(name))).await;
    acquired.expect("a permit").0
}

async fn busy(permits: &Permits, name: &str, count: usize) -> Vec<FairPermit> {
    let mut held = Vec::new();
    for _ in 0..count {
        held.push(acquire(permits, name).await);
    }
    held
}

async fn idle(permits: &Permits, name: &str, source_name: &'static str, evicted: &Evicted) {
    let process = IdleProcess {
        name: source_name,
        permit: Lock::new(Some(acquire(permits, name).await)),
        evicted: evicted.clone(),
    };
    permits.idle(&source(source_name), &user(name), Box::new(process));
}

#[tokio::test(start_paused = true)]
async fn a_user_whose_processes_are_all_busy_does_not_delay_another() {
    let permits = Permits::new(PermitLimits::three_quarters(8));
    let busy = busy(&permits, "a", 6).await;
    let a = user("a");
    let mut more = pin!(permits.acquire(&a));
    assert!(timeout(2 * LONG_WAIT, &mut more).await.is_err());
    assert_eq!(permits.own_limit(&a), Some(OwnLimit::Count));
    let (_permit, delay) = permits.acquire(&user("b")).await;
    assert_eq!((delay, permits.in_use().delayed), (None, 0));
    drop(busy);
    let delay = more.await.1.expect("a long wait").to_string();
    assert!(delay.contains("--max-processes-per-account"), "{delay}");
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
    let permits = Permits::new(PermitLimits {
        total: 2,
        per_user: 2,
    });
    let evicted = Evicted::default();
    let mut busy = busy(&permits, "a", 2).await;
    let b = user("b");
    let mut waiting = pin!(permits.acquire(&b));
    assert!(timeout(Duration::ZERO, &mut waiting).await.is_err());
    let process = IdleProcess {
        name: "a1",
        permit: Lock::new(busy.pop()),
        evicted: evicted.clone(),
    };
    permits.idle(&source("a1"), &user("a"), Box::new(process));
    assert_eq!(*evicted.0.lock(), ["a1"]);
    timeout(PATIENCE, waiting).await.expect("a permit");
}

#[tokio::test(start_paused = true)]
async fn an_idle_process_that_gets_work_is_not_the_last_one_asked() {
    struct Refusing(Evicted);
    impl Evict for Refusing {
        fn evict(&self) {
            self.0.0.lock().push("refused");
        }
    }
    let permits = Permits::new(PermitLimits {
        total: 2,
        per_user: 2,
    });
    let evicted = Evicted::default();
    let _held = acquire(&permits, "a").await;
    let refusing = Box::new(Refusing(evicted.clone()));
    permits.idle(&source("a0"), &user("a"), refusing);
    idle(&permits, "a", "a1", &evicted).await;
    acquire(&permits, "b").await;
    assert_eq!(*evicted.0.lock(), ["refused", "a1"]);
}
