//! How much the tests of faults do: little in `make test`, much in `make faults`.

use std::env;

/// `long` with `SLUICE_FAULTS=long`, or else `short`.
pub(super) fn by_scale<T>(short: T, long: T) -> T {
    if is_long() { long } else { short }
}

fn is_long() -> bool {
    env::var("SLUICE_FAULTS").is_ok_and(|scale| scale == "long")
}
