//! Slows down clients that try API keys.
//!
//! An address that sent several wrong keys has to wait before its next attempt, longer each time. Meanwhile its keys are not
//! checked, except those that were right before: others behind the same proxy go on.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
    net::{IpAddr, Ipv6Addr},
    time::Duration,
};

use hashlink::LruCache;
use parking_lot::Mutex;
use sluice_engine::EngineError;
use sluice_infra::Infra;

use crate::error::ApiError;

const MAX_ADDRESSES: usize = 10_000;
/// The right keys that are remembered for an address.
const MAX_KNOWN: usize = 1_000;
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Without wrong keys for so long, an address starts anew.
const FORGOTTEN_AFTER: Duration = Duration::from_mins(10);

/// The address of the client of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

pub struct WrongKeys {
    /// The number of wrong keys of an address before it has to wait.
    free: u32,
    hasher: RandomState,
    addresses: Mutex<LruCache<IpAddr, Attempts>>,
}

#[derive(Default)]
struct Attempts {
    wrong: u32,
    last_wrong_ms: i64,
    wait: Duration,
    /// Hashes of keys.
    known: HashSet<u64>,
}

impl Attempts {
    /// How long it still has to wait.
    fn remaining(&self, now_ms: i64) -> Duration {
        self.wait.saturating_sub(since(self.last_wrong_ms, now_ms))
    }
}

impl WrongKeys {
    pub(crate) fn new(free: u32) -> WrongKeys {
        WrongKeys {
            free,
            hasher: RandomState::new(),
            addresses: Mutex::new(LruCache::new(MAX_ADDRESSES)),
        }
    }

    /// Looks a key up, unless its address has to wait.
    pub(crate) async fn check<T>(
        &self,
        address: ClientAddress,
        key: &str,
        infra: &Infra,
        look_up: impl Future<Output = Result<Option<T>, EngineError>>,
    ) -> Result<Option<T>, ApiError> {
        self.admit(address, key, infra.now_ms())?;
        let found = look_up.await?;
        self.record(address, key, found.is_some(), infra.now_ms());
        Ok(found)
    }

    /// Whether a key of this address may be checked now.
    fn admit(
        &self,
        ClientAddress(ip): ClientAddress,
        key: &str,
        now_ms: i64,
    ) -> Result<(), ApiError> {
        let mut addresses = self.addresses.lock();
        let Some(attempts) = addresses.get(&network(ip)) else {
            return Ok(());
        };
        let remaining = attempts.remaining(now_ms);
        if remaining.is_zero() || attempts.known.contains(&self.hasher.hash_one(key)) {
            return Ok(());
        }
        Err(ApiError::TooManyWrongKeys {
            retry_after: remaining,
        })
    }

    /// Whether a key of this address was right before.
    pub(crate) fn was_right(&self, ClientAddress(ip): ClientAddress, key: &str) -> bool {
        let mut addresses = self.addresses.lock();
        let attempts = addresses.get(&network(ip));
        attempts.is_some_and(|attempts| attempts.known.contains(&self.hasher.hash_one(key)))
    }

    /// Records whether a checked key was right.
    fn record(&self, ClientAddress(ip): ClientAddress, key: &str, is_right: bool, now_ms: i64) {
        let mut addresses = self.addresses.lock();
        let attempts = addresses
            .entry(network(ip))
            .or_insert_with(Attempts::default);
        if is_right {
            if attempts.known.len() < MAX_KNOWN {
                attempts.known.insert(self.hasher.hash_one(key));
            }
            return;
        }
        if since(attempts.last_wrong_ms, now_ms) > FORGOTTEN_AFTER {
            (attempts.wrong, attempts.wait) = (0, Duration::ZERO);
        }
        attempts.wrong += 1;
        attempts.last_wrong_ms = now_ms;
        if attempts.wrong > self.free {
            attempts.wait = (attempts.wait * 2).clamp(FIRST_WAIT, LONGEST_WAIT);
        }
    }
}

/// A clock that was set back counts as no time.
fn since(then_ms: i64, now_ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(now_ms - then_ms).unwrap_or_default())
}

/// One client usually has a whole network of IPv6.
fn network(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => ip,
        IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
            Some(ip) => IpAddr::V4(ip),
            None => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: ClientAddress = ClientAddress(IpAddr::V6(Ipv6Addr::new(1, 2, 3, 4, 5, 6, 7, 8)));
    const NEIGHBOUR: ClientAddress =
        ClientAddress(IpAddr::V6(Ipv6Addr::new(1, 2, 3, 4, 9, 9, 9, 9)));
    const ELSEWHERE: ClientAddress =
        ClientAddress(IpAddr::V6(Ipv6Addr::new(1, 2, 3, 5, 5, 6, 7, 8)));

    fn wait(keys: &WrongKeys, address: ClientAddress, key: &str, now_ms: i64) -> Option<u64> {
        match keys.admit(address, key, now_ms) {
            Err(ApiError::TooManyWrongKeys { retry_after }) => Some(retry_after.as_secs()),
            _ => None,
        }
    }

    #[test]
    fn the_wait_doubles_with_each_wrong_key() {
        let keys = WrongKeys::new(2);
        let mut now = 1_000_000;
        let mut waits = Vec::new();
        for _ in 0..10 {
            keys.record(HERE, "wrong", false, now);
            let waiting = wait(&keys, HERE, "next", now);
            assert_eq!(wait(&keys, NEIGHBOUR, "next", now), waiting);
            waits.push(waiting.unwrap_or_default());
            now += 1000 * i64::try_from(waits.last().copied().unwrap_or_default()).unwrap();
            assert_eq!(wait(&keys, HERE, "next", now), None);
        }
        assert_eq!(waits, [0, 0, 1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(wait(&keys, ELSEWHERE, "next", now), None);
        now += 11 * 60 * 1000;
        keys.record(HERE, "wrong", false, now);
        assert_eq!(wait(&keys, HERE, "next", now), None);
    }

    #[test]
    fn a_key_that_was_right_before_is_not_delayed() {
        let keys = WrongKeys::new(0);
        keys.record(HERE, "right", true, 5);
        keys.record(HERE, "wrong", false, 5);
        assert_eq!(wait(&keys, HERE, "right", 5), None);
        assert_eq!(wait(&keys, HERE, "other", 5), Some(1));
        assert!(keys.was_right(NEIGHBOUR, "right"));
        for (address, key) in [(HERE, "wrong"), (ELSEWHERE, "right")] {
            assert!(!keys.was_right(address, key), "{key}");
        }
    }
}
