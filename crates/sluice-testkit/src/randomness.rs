//! Randomness of tests: a generator that can be repeated, and names that never are.

use std::{convert::Infallible, env, sync::LazyLock};

use parking_lot::Mutex;
use rand::{Rng, SeedableRng, TryRng, rngs::StdRng};

const VARIABLE: &str = "SLUICE_TEST_SEED";

/// The seed of this test process, which is printed. `SLUICE_TEST_SEED` sets it, to repeat a run.
pub fn test_seed() -> u64 {
    static SEED: LazyLock<u64> = LazyLock::new(|| {
        let seed = match env::var(VARIABLE) {
            Ok(text) => match text.parse() {
                Ok(seed) => seed,
                Err(error) => panic!("{VARIABLE} is not a number: {error}"),
            },
            Err(_) => from_entropy(),
        };
        eprintln!("{VARIABLE}={seed}");
        seed
    });
    *SEED
}

/// The generator of this test process, with the seed [`test_seed`].
#[derive(Debug, Clone, Copy)]
pub struct TestRng;

fn generator() -> &'static Mutex<StdRng> {
    static GENERATOR: LazyLock<Mutex<StdRng>> =
        LazyLock::new(|| Mutex::new(StdRng::seed_from_u64(test_seed())));
    &GENERATOR
}

impl TryRng for TestRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(generator().lock().next_u32())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(generator().lock().next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        generator().lock().fill_bytes(bytes);
        Ok(())
    }
}

/// 32 hexadecimal digits that no other test has, whatever the seed: test processes share servers and databases.
pub fn unique_hex() -> String {
    format!("{:016x}{:016x}", from_entropy(), from_entropy())
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place of the tests that may read the randomness of the machine"
)]
fn from_entropy() -> u64 {
    rand::random()
}
