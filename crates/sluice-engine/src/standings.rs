//! What happened in each source and workflow of an account in the last 24 hours.
//!
//! In a large account this is a sum over hundreds of thousands of rows, and the console asks again and again: what was summed
//! there serves all who ask for a while.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use sluice_model::UserId;
use sluice_store::{
    StoreError,
    emitters::{self, EmitterActivity},
};
use tokio::sync::Mutex;

use crate::{activity::LAST_DAY, context::Context, error::EngineError};

/// The sums of an account in which more than these did something are kept.
const MANY: usize = 1_000;
const KEPT_FOR: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standings {
    /// The hour that they begin with.
    pub(crate) since: i64,
    pub(crate) sources: Vec<EmitterActivity>,
    pub(crate) workflows: Vec<EmitterActivity>,
}

impl Standings {
    pub(crate) fn all(&self) -> impl Iterator<Item = &EmitterActivity> {
        self.sources.iter().chain(&self.workflows)
    }
}

/// The standings of large accounts. Whoever asks while they are summed waits for them.
#[derive(Default)]
pub(crate) struct RecentStandings {
    accounts: parking_lot::Mutex<HashMap<UserId, Account>>,
}

type Account = Arc<Mutex<Option<Kept>>>;

struct Kept {
    at: Instant,
    standings: Arc<Standings>,
}

impl Kept {
    fn serves(&self, since: i64, now: Instant) -> bool {
        now.duration_since(self.at) < KEPT_FOR && self.standings.since == since
    }
}

impl RecentStandings {
    pub(crate) async fn of(
        &self,
        context: &Context,
        user: &UserId,
    ) -> Result<Arc<Standings>, EngineError> {
        let since = LAST_DAY.first_hour(context.clock.now_ms());
        let owner = user.clone();
        let summed = context.store.read(move |c| {
            Ok(Standings {
                since,
                sources: emitters::sources(c, &owner, since)?,
                workflows: emitters::workflows(c, &owner, since)?,
            })
        });
        self.kept_or(user, since, Instant::now(), summed).await
    }

    /// What is kept, else what comes of `summed`, which is not begun before it is needed.
    async fn kept_or(
        &self,
        user: &UserId,
        since: i64,
        now: Instant,
        summed: impl Future<Output = Result<Standings, StoreError>>,
    ) -> Result<Arc<Standings>, EngineError> {
        let account = self.account(user, since, now);
        let mut kept = account.lock().await;
        if let Some(kept) = kept.as_ref().filter(|kept| kept.serves(since, now)) {
            return Ok(Arc::clone(&kept.standings));
        }
        let standings = Arc::new(summed.await?);
        *kept = (standings.all().count() > MANY).then(|| Kept {
            at: now,
            standings: Arc::clone(&standings),
        });
        Ok(standings)
    }

    /// Forgets those of others that are of no use any more.
    fn account(&self, user: &UserId, since: i64, now: Instant) -> Account {
        let mut accounts = self.accounts.lock();
        accounts.retain(|_, account| match account.try_lock() {
            Ok(kept) => kept.as_ref().is_some_and(|kept| kept.serves(since, now)),
            Err(_) => true,
        });
        Arc::clone(accounts.entry(user.clone()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use sluice_model::EmitterId;

    use super::*;

    fn user(tail: &str) -> UserId {
        UserId::parse(&format!("u_{tail}")).unwrap()
    }

    fn standings(since: i64, count: usize, events: u64) -> Standings {
        let one = EmitterActivity {
            id: EmitterId::parse("dc_a").unwrap(),
            events,
            errors: 0,
        };
        Standings {
            since,
            sources: vec![one; count],
            workflows: Vec::new(),
        }
    }

    /// How many events somebody is told of, where the sums say `events` by now.
    async fn told(recent: &RecentStandings, at: (i64, Instant), count: usize, events: u64) -> u64 {
        let (since, now) = at;
        let summed = async { Ok(standings(since, count, events)) };
        let told = recent.kept_or(&user("a"), since, now, summed).await;
        told.unwrap().sources[0].events
    }

    #[tokio::test]
    async fn only_the_sums_of_a_large_account_are_kept_and_only_for_a_while() {
        let recent = RecentStandings::default();
        let now = Instant::now();
        assert_eq!(told(&recent, (5, now), MANY, 1).await, 1);
        assert_eq!(told(&recent, (5, now), MANY + 1, 2).await, 2);
        assert_eq!(told(&recent, (5, now), MANY + 1, 3).await, 2);
        // Another hour has begun.
        assert_eq!(told(&recent, (6, now), MANY + 1, 4).await, 4);
        let later = now + KEPT_FOR;
        assert_eq!(told(&recent, (6, later), MANY + 1, 5).await, 5);
    }

    #[tokio::test]
    async fn what_is_of_no_use_any_more_is_forgotten() {
        let recent = RecentStandings::default();
        let now = Instant::now();
        told(&recent, (5, now), MANY + 1, 1).await;
        let summed = async { Ok(standings(5, 1, 1)) };
        let (other, later) = (user("b"), now + KEPT_FOR);
        let asked = recent.kept_or(&other, 5, later, summed);
        asked.await.unwrap();
        let left: Vec<_> = recent.accounts.lock().keys().cloned().collect();
        assert_eq!(left, [user("b")]);
    }
}
