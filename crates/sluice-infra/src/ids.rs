//! The id generator, and the randomness behind every id, key and jitter.

use std::sync::Arc;

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
}

impl Ids {
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
        }))
    }

    pub fn invocation(&self) -> InvocationId {
        InvocationId::generate(&mut self.0.generator.lock(), self.0.clock.now_ms())
    }

    pub fn emit(&self) -> EmitId {
        EmitId::generate(&mut self.0.generator.lock(), self.0.clock.now_ms())
    }

    /// A generator for one owner, which then needs no lock.
    pub fn generator(&self) -> IdGen {
        IdGen::new(self.rng().next_u64())
    }

    /// Randomness fit for keys and ids.
    pub fn rng(&self) -> SharedRng<'_> {
        SharedRng(&self.0.random)
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
