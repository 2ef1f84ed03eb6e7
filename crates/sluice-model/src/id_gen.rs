//! Ids of invocations and emits: 27 base62 characters whose text order is the order of generation.
//!
//! The text is three fixed-width numbers: milliseconds (9 digits), a counter within the millisecond (3) and randomness (15).
//! The first two make one [`IdGen`] strictly increasing, even when the clock steps back; the last keeps ids of different
//! generators apart. The alphabet is in ASCII order, so comparing the text compares the numbers.

use std::{fmt, str};

use rand::{Rng, SeedableRng, rngs::StdRng};

use crate::text_id::text_id;

const LENGTH: usize = 27;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const MS_DIGITS: usize = 9;
const COUNTER_DIGITS: usize = 3;
const RANDOM_SPLIT: usize = MS_DIGITS + COUNTER_DIGITS + 8;
const MAX_MS: u64 = 62_u64.pow(9) - 1;

/// Generates ids in strictly increasing order. Each owner has its own generator with its own seed.
pub struct IdGen {
    last_ms: u64,
    counter: u16,
    rng: StdRng,
}

impl IdGen {
    pub fn new(seed: u64) -> Self {
        Self {
            last_ms: 0,
            counter: 0,
            rng: StdRng::seed_from_u64(seed),
        }
    }

    /// Generates no id with a time before `ms`, so that ids stay in order when the clock was set back.
    #[must_use]
    pub fn not_before(mut self, ms: i64) -> Self {
        self.last_ms = self.last_ms.max(u64::try_from(ms).unwrap_or(0).min(MAX_MS));
        self
    }

    /// The text of the next id. When the clock stands still or goes back, the counter of the last id is incremented.
    pub fn next(&mut self, now_ms: i64) -> [u8; LENGTH] {
        let now = u64::try_from(now_ms).unwrap_or(0).min(MAX_MS);
        if now > self.last_ms {
            self.last_ms = now;
            self.counter = 0;
        } else if let Some(counter) = self.counter.checked_add(1) {
            self.counter = counter;
        } else {
            self.last_ms += 1;
            self.counter = 0;
        }
        let mut text = [b'0'; LENGTH];
        write_base62(&mut text[..MS_DIGITS], self.last_ms);
        write_base62(
            &mut text[MS_DIGITS..MS_DIGITS + COUNTER_DIGITS],
            u64::from(self.counter),
        );
        write_base62(
            &mut text[MS_DIGITS + COUNTER_DIGITS..RANDOM_SPLIT],
            self.rng.next_u64(),
        );
        write_base62(&mut text[RANDOM_SPLIT..], self.rng.next_u64());
        text
    }
}

/// A text that all ids of this time and later are not less than, and all earlier ids are less than.
pub fn lowest_at(ms: i64) -> String {
    let mut text = [b'0'; MS_DIGITS];
    write_base62(&mut text, u64::try_from(ms).unwrap_or(0).min(MAX_MS));
    text.iter().copied().map(char::from).collect()
}

impl fmt::Debug for IdGen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdGen")
            .field("last_ms", &self.last_ms)
            .field("counter", &self.counter)
            .finish_non_exhaustive()
    }
}

/// Fills `digits` with the lowest digits of `value`, most significant first.
fn write_base62(digits: &mut [u8], mut value: u64) {
    for digit in digits.iter_mut().rev() {
        let index = usize::try_from(value % 62).expect("a remainder of 62 fits");
        *digit = ALPHABET[index];
        value /= 62;
    }
}

fn read_base62(digits: &[u8]) -> u64 {
    let value = |digit: &u8| ALPHABET.iter().position(|known| known == digit);
    digits.iter().fold(0, |sum, digit| {
        sum * 62 + value(digit).unwrap_or_default() as u64
    })
}

macro_rules! ordered_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; LENGTH]);

        impl $name {
            pub fn generate(ids: &mut IdGen, now_ms: i64) -> Self {
                Self(ids.next(now_ms))
            }

            /// Parses exactly 27 base62 characters.
            pub fn parse(text: &str) -> Option<Self> {
                let bytes: [u8; LENGTH] = text.as_bytes().try_into().ok()?;
                bytes
                    .iter()
                    .all(u8::is_ascii_alphanumeric)
                    .then_some(Self(bytes))
            }

            pub fn as_str(&self) -> &str {
                str::from_utf8(&self.0).expect("only ASCII is ever stored")
            }

            /// When it was generated, in epoch milliseconds.
            pub fn time_ms(&self) -> i64 {
                i64::try_from(read_base62(&self.0[..MS_DIGITS])).unwrap_or_default()
            }
        }

        text_id!($name);
    };
}

ordered_id!(
    /// One run of a component's code: for a request, a tick, a hook or an event listened to.
    InvocationId
);
ordered_id!(
    /// One call of `$emit` that became an event.
    EmitId
);

/// An invocation that an event causes has the id of the event, or a new one for a replay.
impl From<EmitId> for InvocationId {
    fn from(EmitId(text): EmitId) -> InvocationId {
        InvocationId(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_clock_going_back_does_not_reorder() {
        let mut ids = IdGen::new(7);
        let first = InvocationId::generate(&mut ids, 1_700_000_000_000);
        let second = InvocationId::generate(&mut ids, 1_600_000_000_000);
        let third = InvocationId::generate(&mut ids, -5);
        assert!(first < second && second < third);
        assert!(first.as_str() < second.as_str());
    }

    #[test]
    fn a_full_counter_borrows_the_next_millisecond() {
        let mut ids = IdGen::new(7);
        let mut last = ids.next(1000);
        for _ in 0..70_000 {
            let next = ids.next(1000);
            assert!(last < next);
            last = next;
        }
        assert_eq!(ids.last_ms, 1001);
    }

    #[test]
    fn the_lowest_text_of_a_time_separates_earlier_and_later_ids() {
        let id = |ms| InvocationId::generate(&mut IdGen::new(3), ms);
        for ms in [1, 61, 62, 1_700_000_000_000] {
            let lowest = lowest_at(ms);
            assert!(id(ms).as_str() >= lowest.as_str());
            assert!(id(ms - 1).as_str() < lowest.as_str());
        }
        assert_eq!(lowest_at(-5), "000000000");
    }

    #[test]
    fn ids_parse_back_and_seeds_differ() {
        let id = EmitId::generate(&mut IdGen::new(1), 5);
        assert_eq!(EmitId::parse(id.as_str()), Some(id));
        assert_ne!(EmitId::generate(&mut IdGen::new(2), 5), id);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<EmitId>(&json).unwrap(), id);
        assert_eq!(id.time_ms(), 5);
        let id = EmitId::generate(&mut IdGen::new(1), 1_763_547_227_123);
        assert_eq!(id.time_ms(), 1_763_547_227_123);
        assert_eq!(EmitId::parse(""), None);
        assert_eq!(EmitId::parse(&"a".repeat(28)), None);
        assert_eq!(EmitId::parse(&"-".repeat(27)), None);
    }

    proptest! {
        #[test]
        fn text_order_is_generation_order(seed: u64, clock in prop::collection::vec(any::<i64>(), 1..50)) {
            let mut ids = IdGen::new(seed);
            let made: Vec<_> = clock.iter().map(|now| InvocationId::generate(&mut ids, *now)).collect();
            prop_assert!(made.windows(2).all(|pair| pair[0].as_str() < pair[1].as_str()));
        }
    }
}
