//! Who emits to whom, and what goes along the way: the map of an account, and its traffic as it happens.

mod map;
mod sums;
mod traffic;
mod traffic_ends;
