//! Failed sign-ins in the audit log.
//!
//! An attacker must not be able to fill the disk, so an address has an entry for its first failure of an hour, and then for the
//! tenth, the hundredth and so on, each with the count. Beyond a number of addresses, all others are counted together.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use parking_lot::Mutex;
use sluice_infra::{Infra, MS_PER_HOUR};
use sluice_store::audit::{Action, AuditActor, Credential, TargetKind};

use super::{Change, Target};

/// Addresses that are counted on their own in one hour.
const MAX_ADDRESSES: usize = 100;

/// Cheap to clone; all clones count together.
#[derive(Clone, Default)]
pub(crate) struct FailedSignIns(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    hour: i64,
    /// By address; `None` for all addresses beyond the limit.
    failures: HashMap<Option<IpAddr>, u64>,
}

impl Counts {
    /// Counts a failure. Returns the address and the count if they are to be recorded.
    fn add(&mut self, address: Option<IpAddr>, hour: i64) -> Option<(Option<IpAddr>, u64)> {
        if self.hour != hour {
            self.hour = hour;
            self.failures.clear();
        }
        let is_known = self.failures.contains_key(&address);
        let address = address.filter(|_| is_known || self.failures.len() < MAX_ADDRESSES);
        let count = self.failures.entry(address).or_default();
        *count += 1;
        is_power_of_ten(*count).then_some((address, *count))
    }
}

fn is_power_of_ten(mut number: u64) -> bool {
    while number >= 10 && number.is_multiple_of(10) {
        number /= 10;
    }
    number == 1
}

impl FailedSignIns {
    /// Counts a failed sign-in, and records it if it is time to. A store that cannot be written to does not change the answer
    /// to the client.
    pub(crate) async fn record(&self, infra: &Infra, address: Option<IpAddr>) {
        let hour = infra.now_ms().div_euclid(MS_PER_HOUR);
        let Some((address, count)) = self.0.lock().add(address, hour) else {
            return;
        };
        let actor = AuditActor {
            id: None,
            name: String::new(),
            credential: Credential::None,
            credential_id: None,
            address: address.map(|address| address.to_string()),
        };
        let target = Target::new(TargetKind::Session, "", "");
        let action = Action::SessionSignInFailed;
        let change = Change::by(infra, None, actor, action, target).with("failures", count);
        if let Err(error) = infra.store.write(move |c| change.record(c)).await {
            tracing::warn!(%error, "cannot record failed sign-in");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn add(counts: &mut Counts, address: u32, hour: i64) -> Option<(Option<IpAddr>, u64)> {
        counts.add(Some(ip(address)), hour)
    }

    fn ip(number: u32) -> IpAddr {
        IpAddr::V4(Ipv4Addr::from_bits(number))
    }

    #[test]
    fn the_first_failure_of_an_hour_is_recorded_and_then_each_power_of_ten() {
        let mut counts = Counts::default();
        let recorded: Vec<u64> = (0..1_500)
            .filter_map(|_| add(&mut counts, 1, 7))
            .map(|(_, count)| count)
            .collect();
        assert_eq!(recorded, [1, 10, 100, 1_000]);
        assert_eq!(add(&mut counts, 2, 7), Some((Some(ip(2)), 1)));
        assert_eq!(add(&mut counts, 1, 8), Some((Some(ip(1)), 1)));
    }

    #[test]
    fn many_addresses_are_counted_together() {
        let mut counts = Counts::default();
        let recorded = (0..1_000_000).filter_map(|number| add(&mut counts, number, 7));
        assert!(recorded.count() < 110);
        assert_eq!(counts.failures.len(), MAX_ADDRESSES + 1);
        assert_eq!(add(&mut counts, 0, 7), None);
    }
}
