//! The memory of component processes. Above the budget of the server, and above the quota of a user, idle processes are
//! stopped. A user above its quota also gets no further process.

use std::{collections::HashMap, sync::Arc, time::Duration};

use sluice_infra::Infra;
use sluice_model::UserId;
use sluice_runtime::{Processes, RunningProcess};

use super::permits::Permits;

const PERIOD: Duration = Duration::from_millis(500);

pub(crate) async fn enforce(infra: Infra, processes: Arc<dyn Processes>, permits: Permits) {
    loop {
        infra.shutdown.sleep(PERIOD).await;
        if infra.shutdown.is_draining() {
            return;
        }
        enforce_quotas(&infra, &processes.processes(), &permits);
        let used = processes.memory_in_use();
        let processes = u64::try_from(infra.metrics.processes.get()).unwrap_or(0);
        for _ in 0..excess_processes(used, infra.settings.memory_budget, processes) {
            permits.evict_one();
        }
    }
}

fn enforce_quotas(infra: &Infra, running: &[RunningProcess], permits: &Permits) {
    let quota = infra.settings.max_memory_per_account;
    let users = memory_by_user(running);
    let most = users.values().map(|used| used.bytes).max().unwrap_or(0);
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    infra.metrics.account_memory_max.set(most);
    let over: Vec<UserId> = users
        .iter()
        .filter(|(_, used)| used.bytes > quota)
        .map(|(user, _)| user.clone())
        .collect();
    permits.block(&over);
    for user in &over {
        let used = &users[user];
        let mut excess = excess_processes(used.bytes, quota, used.owners);
        while excess > 0 {
            match u64::try_from(permits.evict_of(user)).unwrap_or(0) {
                0 => break,
                evicted => excess = excess.saturating_sub(evicted),
            }
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct MemoryUse {
    bytes: u64,
    /// Several may share a process.
    owners: u64,
}

fn memory_by_user(running: &[RunningProcess]) -> HashMap<UserId, MemoryUse> {
    let mut users: HashMap<UserId, MemoryUse> = HashMap::new();
    for process in running {
        if let Some(user) = &process.user {
            let used = users.entry(user.clone()).or_default();
            used.bytes += process.memory_bytes;
            used.owners += 1;
        }
    }
    users
}

/// The number of average-sized processes that exceed the budget.
fn excess_processes(used: u64, budget: u64, processes: u64) -> u64 {
    let over = used.saturating_sub(budget);
    if over == 0 || processes == 0 {
        return 0;
    }
    over.div_ceil((used / processes).max(1))
}

#[cfg(test)]
mod tests {
    use sluice_runtime::ProcessOwner;

    use super::*;

    #[test]
    fn as_many_go_as_the_excess_amounts_to() {
        assert_eq!(excess_processes(100, 100, 10), 0);
        assert_eq!(excess_processes(101, 100, 10), 1);
        assert_eq!(excess_processes(150, 100, 10), 4);
        assert_eq!(excess_processes(100, 0, 10), 10);
        assert_eq!(excess_processes(100, 0, 0), 0);
    }

    #[test]
    fn memory_is_added_up_for_each_user() {
        let user = |name: &str| UserId::parse(name).expect("an id");
        let process = |user: Option<UserId>, memory_bytes| RunningProcess {
            owner: ProcessOwner::Unowned,
            user,
            memory_bytes,
            started_at: 0,
        };
        let memory = memory_by_user(&[
            process(Some(user("u_a")), 1),
            process(None, 2),
            process(Some(user("u_b")), 4),
            process(Some(user("u_a")), 8),
        ]);
        let of = |bytes, owners| MemoryUse { bytes, owners };
        let expected = [(user("u_a"), of(9, 2)), (user("u_b"), of(4, 1))];
        assert_eq!(memory, HashMap::from(expected));
    }
}
