//! The memory budget of component processes: above it, the processes that have been idle longest are stopped.

use std::sync::Arc;

use std::time::Duration;

use sluice_infra::Infra;
use sluice_runtime::Processes;

use super::permits::Permits;

const PERIOD: Duration = Duration::from_millis(500);

pub(crate) async fn enforce(infra: Infra, processes: Arc<dyn Processes>, permits: Permits) {
    loop {
        infra.shutdown.sleep(PERIOD).await;
        if infra.shutdown.is_draining() {
            return;
        }
        let used = processes.memory_in_use();
        let processes = u64::try_from(infra.metrics.processes.get()).unwrap_or(0);
        for _ in 0..excess_processes(used, infra.settings.memory_budget, processes) {
            permits.evict_oldest();
        }
    }
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
    use super::excess_processes;

    #[test]
    fn as_many_go_as_the_excess_amounts_to() {
        assert_eq!(excess_processes(100, 100, 10), 0);
        assert_eq!(excess_processes(101, 100, 10), 1);
        assert_eq!(excess_processes(150, 100, 10), 4);
        assert_eq!(excess_processes(100, 0, 10), 10);
        assert_eq!(excess_processes(100, 0, 0), 0);
    }
}
