//! Events on their way to webhooks.

mod breaker;
mod changes;
mod fixtures;
mod journal;
mod limits;
mod ordering;
mod retries;
mod signing;
mod ssrf;
