//! The id generator, and the randomness behind every id, key and jitter.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use parking_lot::Mutex;
use rand::{CryptoRng, Rng, RngExt, SeedableRng, TryCryptoRng, TryRng, rngs::StdRng};
use sluice_model::{Clock, EmitId, IdGen, InvocationId};

/// Shared by all services. Tests give it a seed, so that ids, keys and jitter repeat.
#[derive(Clone)]
pub struct Ids(Arc<Inner>);

struct Inner {
    clock: Arc<dyn Clock>,
    generator: Mutex<IdGen>,
    random: Mutex<StdRng>,
    /// No id has a time before this.
    floor_ms: AtomicI64,
}

impl Ids {
    /// Seeds the generator from the randomness of the machine.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that may read the randomness of the machine"
    )]
    pub fn from_entropy(clock: Arc<dyn Clock>) -> Ids {
        Ids::new(clock, rand::make_rng())
    }

    pub fn seeded(clock: Arc<dyn Clock>, seed: u64) -> Ids {
        Ids::new(clock, StdRng::seed_from_u64(seed))
    }

    fn new(clock: Arc<dyn Clock>, mut random: StdRng) -> Ids {
        Ids(Arc::new(Inner {
            clock,
            generator: Mutex::new(IdGen::new(random.next_u64())),
            random: Mutex::new(random),
            floor_ms: AtomicI64::new(0),
        }))
    }

    /// Generates no id with a time before `ms`. The last time of an earlier start keeps ids in order although the clock
    /// was set back.
    pub fn not_before(&self, ms: i64) {
        self.0.floor_ms.fetch_max(ms, Ordering::SeqCst);
        *self.0.generator.lock() = self.generator();
    }

    pub fn invocation(&self) -> InvocationId {
        InvocationId::generate(&mut self.0.generator.lock(), self.0.clock.now_ms())
    }

    pub fn emit(&self) -> EmitId {
        EmitId::generate(&mut self.0.generator.lock(), self.0.clock.now_ms())
    }

    /// A generator for one owner, which then needs no lock.
    pub fn generator(&self) -> IdGen {
        let floor_ms = self.0.floor_ms.load(Ordering::SeqCst);
        IdGen::new(self.rng().next_u64()).not_before(floor_ms)
    }

    /// A name for this start of the server, which no other one has.
    pub fn incarnation(&self) -> String {
        format!("{:016x}", self.rng().random::<u64>())
    }

    /// Randomness fit for keys and ids.
    pub fn rng(&self) -> SharedRng<'_> {
        SharedRng(&self.0.random)
    }

    /// Any number, for the id of a span.
    pub fn random(&self) -> u64 {
        self.rng().next_u64()
    }

    /// A factor of 1.0 to 1.2 that spreads retries which would otherwise coincide.
    pub fn jitter(&self) -> f64 {
        self.rng().random_range(1.0..=1.2)
    }
}

/// A random number generator that locks for each draw.
pub struct SharedRng<'a>(&'a Mutex<StdRng>);

impl TryRng for SharedRng<'_> {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        Ok(self.0.lock().next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        Ok(self.0.lock().next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.lock().fill_bytes(bytes);
        Ok(())
    }
}

impl TryCryptoRng for SharedRng<'_> {}

const _: fn(SharedRng<'static>) = is_crypto;

fn is_crypto(_: impl CryptoRng) {}

#[cfg(test)]
mod tests {
    use sluice_model::ManualClock;

    use super::*;

    #[test]
    fn ids_stay_in_order_when_the_clock_was_set_back() {
        let clock = ManualClock::new(5_000_000);
        let before = Ids::seeded(Arc::new(clock.clone()), 1).invocation();
        clock.set(1_000);
        let ids = Ids::seeded(Arc::new(clock), 2);
        ids.not_before(5_000_000);
        let after = ids.invocation();
        assert!(before < after);
        let mut generator = ids.generator();
        assert!(before < InvocationId::generate(&mut generator, 1_000));
    }
}
