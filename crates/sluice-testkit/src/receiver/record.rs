//! The requests that a receiver has recorded, and the script that answers them.

use std::{collections::BTreeMap, time::Instant};

use parking_lot::Mutex;
use serde_json::Value;

use super::answer::Answer;

/// A received request.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Its number among all requests, from 1.
    pub number: usize,
    pub method: String,
    /// With its query.
    pub path: String,
    /// Names in lower case; the values of a repeated name are joined with commas.
    pub headers: BTreeMap<String, String>,
    pub body: String,
    /// When it was received completely.
    pub received_at: Instant,
    /// The status of the response. None before the response.
    pub answered: Option<u16>,
}

impl Delivery {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The body as JSON. Panics if it is not JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|error| panic!("not JSON: {error}: {:?}", self.body))
    }
}

pub(super) struct Shared {
    /// None when the receiver only counts requests.
    pub(super) script: Option<Script>,
    pub(super) log: Mutex<Log>,
}

pub(super) type Script = Box<dyn Fn(&Delivery) -> Answer + Send + Sync>;

#[derive(Default)]
pub(super) struct Log {
    pub(super) count: usize,
    pub(super) last_at: Option<Instant>,
    /// Empty when the receiver only counts requests.
    pub(super) requests: Vec<Delivery>,
}
