//! How many acknowledged events survive SIGKILL in the middle of a load.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Serialize;
use tokio::{task::JoinSet, time::sleep};

use super::{
    instance::Instance,
    order,
    program::{Kept, Program},
};
use crate::load::Connection;

/// How long a program must do nothing after the last start before its events are counted.
const QUIET: Duration = Duration::from_secs(5);
const QUIET_DEADLINE: Duration = Duration::from_mins(5);
const POLL_INTERVAL: Duration = Duration::from_millis(5);
const RECONNECT_PAUSE: Duration = Duration::from_millis(20);

/// How often a program is killed, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kills {
    pub(crate) count: usize,
    /// The longest time before each kill.
    pub(crate) after: Duration,
    /// A program that has been sent so many events is killed sooner, so that the events of a fast one can be listed.
    pub(crate) after_events: u64,
    pub(crate) connections: usize,
}

impl Kills {
    /// Waits for the moment of the next kill.
    async fn wait(&self, numbers: &AtomicU64) {
        let start = Instant::now();
        let last = numbers.load(Ordering::Relaxed) + self.after_events;
        while start.elapsed() < self.after && numbers.load(Ordering::Relaxed) < last {
            sleep(POLL_INTERVAL).await;
        }
    }
}

/// The fate of the acknowledged events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Survival {
    pub(crate) kills: usize,
    /// Events that were answered with 2xx.
    pub(crate) acknowledged: usize,
    /// Of these, events that were processed and whose result is stored.
    pub(crate) processed: usize,
    /// Of these, events that are stored, but were never processed.
    pub(crate) unprocessed: usize,
    /// Of these, events of which nothing is left.
    pub(crate) lost: usize,
    /// Events that were processed more than once.
    pub(crate) repeated: usize,
}

/// Kills the program several times under load, starts it again each time, and counts its events at the end.
pub(crate) async fn measure<P: Program>(program: &mut P, kills: Kills) -> anyhow::Result<Survival> {
    let mut instance = Instance::start(program).await?;
    let numbers = Arc::new(AtomicU64::new(1));
    let mut acknowledged = HashSet::new();
    for _ in 0..kills.count {
        let killed = Arc::new(AtomicBool::new(false));
        let mut senders = JoinSet::new();
        for _ in 0..kills.connections {
            senders.spawn(send_until(
                Arc::clone(&killed),
                Arc::clone(&numbers),
                instance.addr(),
                instance.path().to_owned(),
            ));
        }
        kills.wait(&numbers).await;
        killed.store(true, Ordering::Relaxed);
        instance.kill();
        while let Some(ids) = senders.join_next().await {
            acknowledged.extend(ids?);
        }
        instance.restart().await?;
    }
    instance.settle(QUIET, QUIET_DEADLINE).await?;
    let kept = instance.program().kept(instance.place()).await?;
    Ok(account(kills.count, &acknowledged, &kept))
}

/// Sends orders one after another, each with a new number, until the program is killed. Returns the acknowledged ids.
async fn send_until(
    killed: Arc<AtomicBool>,
    numbers: Arc<AtomicU64>,
    addr: String,
    path: String,
) -> Vec<String> {
    let mut acknowledged = Vec::new();
    while !killed.load(Ordering::Relaxed) {
        // A connection that the program closes is opened again.
        if let Ok(mut connection) = Connection::open(&addr).await {
            let mut send = async |number| {
                let request = order::request(&addr, &path, number);
                connection.exchange(&request).await
            };
            loop {
                let number = numbers.fetch_add(1, Ordering::Relaxed);
                match send(number).await {
                    Ok(200..300) => acknowledged.push(order::id_of(number)),
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
        }
        sleep(RECONNECT_PAUSE).await;
    }
    acknowledged
}

fn account(kills: usize, acknowledged: &HashSet<String>, kept: &Kept) -> Survival {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for id in &kept.processed {
        *times.entry(id).or_default() += 1;
    }
    let unprocessed: HashSet<&str> = kept.unprocessed.iter().map(String::as_str).collect();
    let mut survival = Survival {
        kills,
        acknowledged: acknowledged.len(),
        ..Survival::default()
    };
    for id in acknowledged {
        match times.get(id.as_str()) {
            Some(1) => survival.processed += 1,
            Some(_) => {
                survival.processed += 1;
                survival.repeated += 1;
            }
            None if unprocessed.contains(id.as_str()) => survival.unprocessed += 1,
            None => survival.lost += 1,
        }
    }
    survival
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(numbers: &[u64]) -> Vec<String> {
        numbers.iter().map(|number| order::id_of(*number)).collect()
    }

    #[test]
    fn each_acknowledged_event_is_counted_once() {
        let acknowledged = ids(&[1, 2, 3, 4, 5]).into_iter().collect();
        let kept = Kept {
            // The sixth got no response, and the first was processed before and after the crash.
            processed: ids(&[1, 1, 2, 6]),
            // The second was processed after all.
            unprocessed: ids(&[2, 3]),
        };
        let expected = Survival {
            kills: 3,
            acknowledged: 5,
            processed: 2,
            unprocessed: 1,
            lost: 2,
            repeated: 1,
        };
        assert_eq!(account(3, &acknowledged, &kept), expected);
    }

    #[test]
    fn a_program_that_keeps_nothing_loses_everything() {
        let acknowledged = ids(&[1, 2]).into_iter().collect();
        let survival = account(1, &acknowledged, &Kept::default());
        assert_eq!((survival.processed, survival.lost), (0, 2));
    }
}
