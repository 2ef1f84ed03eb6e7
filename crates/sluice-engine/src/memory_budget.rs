//! Keeps component processes together within the memory they may use: those that have been idle longest go first.

use std::{sync::Arc, time::Duration};

use crate::context::Context;

const PERIOD: Duration = Duration::from_millis(500);

pub(crate) async fn keep(context: Arc<Context>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(PERIOD) => {}
            () = context.infra.shutdown.draining() => return,
        }
        let used = context.runtime.memory_in_use();
        let processes = u64::try_from(context.infra.metrics.processes.get()).unwrap_or(0);
        for _ in 0..too_many(used, context.infra.settings.memory_budget, processes) {
            context.slots.evict_oldest();
        }
    }
}

/// How many processes of average size make up what is over the budget.
fn too_many(used: u64, budget: u64, processes: u64) -> u64 {
    let over = used.saturating_sub(budget);
    if over == 0 || processes == 0 {
        return 0;
    }
    over.div_ceil((used / processes).max(1))
}

#[cfg(test)]
mod tests {
    use super::too_many;

    #[test]
    fn as_many_go_as_the_excess_amounts_to() {
        assert_eq!(too_many(100, 100, 10), 0);
        assert_eq!(too_many(101, 100, 10), 1);
        assert_eq!(too_many(150, 100, 10), 4);
        assert_eq!(too_many(100, 0, 10), 10);
        assert_eq!(too_many(100, 0, 0), 0);
    }
}
