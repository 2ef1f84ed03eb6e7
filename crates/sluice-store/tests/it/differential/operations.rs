//! Random operations. Their ranges are small, so that they meet each other's rows.

use std::{collections::HashSet, fmt, sync::Arc};

use proptest::{option, prelude::*, sample::select};
use sluice_model::{Cursor, EventId, InvocationId, SearchQuery, SourceId, TimerSpec};
use sluice_store::{
    BatchLimit, Conn, Page, Result,
    data_stores::{
        self, StoreRef,
        entries::{self, Expiry},
    },
    emitters::{EmitterFilter, EmitterState},
    events::{self, ChannelFilter, NewEvent},
    inbox::{self, InboxKind, NewInboxItem, PageRequest},
    kv,
    logs::{self, NewLog},
    pruning,
    search::{self, Direction, Part, Search},
    sources, timers,
    usage::{self, Usage},
};

use crate::support::{invocation_ids, source, source_id, user_id};

type Run = Arc<dyn Fn(&mut dyn Conn) -> Result<String> + Send + Sync>;

/// Does something and tells all that can be seen of it.
#[derive(Clone)]
pub(super) struct Operation {
    what: String,
    run: Run,
}

impl Operation {
    fn new(
        what: String,
        run: impl Fn(&mut dyn Conn) -> Result<String> + Send + Sync + 'static,
    ) -> Self {
        Operation {
            what,
            run: Arc::new(run),
        }
    }

    pub(super) fn run(&self) -> Run {
        Arc::clone(&self.run)
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

pub(super) fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        kv_operation(),
        data_store_operation(),
        emit(),
        read_events(),
        delete_events(),
        inbox_operation(),
        timer_operation(),
        source_operation(),
        list_sources(),
        log_operation(),
        use_up(),
    ]
}

fn tail() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "B", "b", "Z9"])
}

fn any_source() -> impl Strategy<Value = SourceId> {
    tail().prop_map(source_id)
}

fn event_id() -> impl Strategy<Value = EventId> {
    (0..4_i64, 0..3_i64).prop_map(|(ms, seq)| EventId { ms, seq })
}

fn channel() -> impl Strategy<Value = &'static str> {
    select(vec!["", "x", "X", "$errors"])
}

fn filter() -> impl Strategy<Value = ChannelFilter> {
    option::of(channel()).prop_map(|one| match one {
        Some(channel) => ChannelFilter::One(channel.to_owned()),
        None => ChannelFilter::AllButSystem,
    })
}

fn invocation() -> impl Strategy<Value = InvocationId> {
    (0..4_usize).prop_map(|index| invocation_ids(4)[index])
}

fn cursor() -> impl Strategy<Value = Cursor> {
    (0..3_i64, any_source()).prop_map(|(at_ms, id)| Cursor {
        at_ms,
        id: id.as_str().to_owned(),
    })
}

fn kv_operation() -> impl Strategy<Value = Operation> {
    let key = select(vec!["a", "A", "é", "", "%", "\0"]);
    (any_source(), key, option::of(".{0,8}")).prop_map(|(source, key, json)| {
        Operation::new(format!("kv {source} {key:?} {json:?}"), move |c| {
            match &json {
                Some(json) => kv::set(c, &source, key, json)?,
                None => kv::delete(c, &source, key)?,
            }
            Ok(format!("{:?}", kv::load_all(c, &source)?))
        })
    })
}

fn data_store_operation() -> impl Strategy<Value = Operation> {
    let key = select(vec!["a", "A", "é", "%", "\0"]);
    let expiry = select(vec![
        Expiry::Keep,
        Expiry::Never,
        Expiry::At(2),
        Expiry::At(4),
    ]);
    let value = option::of("[a-z]{0,8}");
    (tail(), key, value, expiry, 0..5_i64).prop_map(|(tail, key, value, expiry, now)| {
        let what = format!("data store {tail} {key:?} {value:?} {expiry:?} at {now}");
        Operation::new(what, move |c| {
            let user = user_id("u");
            let store = StoreRef {
                user: &user,
                name: tail,
            };
            let done = match &value {
                Some(json) => {
                    format!(
                        "{:?}",
                        entries::set(c, store, (key, json), expiry, 20, now)?
                    )
                }
                None => format!("{}", entries::delete(c, store, key, now)?),
            };
            let pruned = now == 4 && data_stores::prune(c, 1, now)?;
            let page = data_stores::NamePage {
                limit: 3,
                after: None,
                before: None,
            };
            let stores = data_stores::list(c, &user, &page, now)?;
            let entries = entries::page(c, store, "", (3, 12), now)?;
            Ok(format!("{done} {pruned} {stores:?} {entries:?}"))
        })
    })
}

fn emit() -> impl Strategy<Value = Operation> {
    (any_source(), event_id(), channel()).prop_map(|(source, id, channel)| {
        Operation::new(format!("emit {source} {id} {channel:?}"), move |c| {
            let event = NewEvent {
                id,
                channel,
                emit_id: "e",
                meta: "{}",
                data: "1",
            };
            events::insert(c, &source, &event)?;
            Ok(String::new())
        })
    })
}

fn read_events() -> impl Strategy<Value = Operation> {
    let bound = || option::of(event_id());
    (any_source(), filter(), 0..5_u32, bound(), bound()).prop_map(
        |(source, filter, limit, after, before)| {
            let what = format!("events {source} {filter:?} {limit} {after:?} {before:?}");
            Operation::new(what, move |c| {
                let page = events::newest(c, &source, &filter, limit, after, before)?;
                Ok(format!("{page:?} {}", events::count(c, &source, &filter)?))
            })
        },
    )
}

fn delete_events() -> impl Strategy<Value = Operation> {
    let range = (filter(), option::of(event_id()), option::of(event_id()));
    (any_source(), range, 0..4_u64, 0..4_u32).prop_map(
        |(source, (filter, start, end), keep, batch)| {
            let what = format!("delete {source} {filter:?} {start:?} {end:?} {keep} {batch}");
            Operation::new(what, move |c| {
                let limit = BatchLimit {
                    rows: batch,
                    bytes: 1_000,
                };
                let pruned = match pruning::events_beyond(c, &source, keep)? {
                    Some(last) => pruning::events(c, &source, last, limit)?,
                    None => 0,
                };
                let deleted = events::delete_range(c, &source, &filter, start, end)?;
                Ok(format!("{pruned} {deleted}"))
            })
        },
    )
}

#[derive(Debug, Clone, Copy)]
enum InboxStep {
    Accept,
    Attempt,
    Finish,
}

fn has_later(c: &mut dyn Conn, source: &SourceId, id: &InvocationId) -> Result<bool> {
    let request = PageRequest {
        known: &HashSet::new(),
        limit: BatchLimit {
            rows: 100,
            bytes: 10_000,
        },
    };
    let waiting = inbox::waiting(c, source, &request)?;
    Ok(waiting.items.iter().any(|item| item.id > *id))
}

fn inbox_operation() -> impl Strategy<Value = Operation> {
    let step = select(vec![
        InboxStep::Accept,
        InboxStep::Attempt,
        InboxStep::Finish,
    ]);
    (any_source(), invocation(), step).prop_map(|(source, id, step)| {
        Operation::new(format!("inbox {source} {id} {step:?}"), move |c| {
            let done = match step {
                // A server accepts in the order of its ids. Without it the databases may have different orders.
                InboxStep::Accept if has_later(c, &source, &id)? => "too late".to_owned(),
                InboxStep::Accept => {
                    let item = NewInboxItem {
                        id: &id,
                        kind: InboxKind::Timer,
                        prop: Some("t"),
                        payload: "{}",
                        accepted_at: 1,
                        depth: 0,
                        reply_to: None,
                        trace: None,
                    };
                    inbox::insert(c, &source, &item)?;
                    String::new()
                }
                InboxStep::Attempt => format!("{:?}", inbox::add_attempt(c, &source, &id)?),
                InboxStep::Finish => inbox::remove(c, &source, &id)?.to_string(),
            };
            let request = PageRequest {
                known: &HashSet::from([id]),
                limit: BatchLimit { rows: 2, bytes: 4 },
            };
            let waiting = inbox::waiting(c, &source, &request)?;
            let with_work = inbox::emitters_with_work(c)?;
            Ok(format!("{done} {waiting:?} {with_work:?}"))
        })
    })
}

fn timer_operation() -> impl Strategy<Value = Operation> {
    let prop = select(vec!["t", "T"]);
    let due_at = option::of(0..5_i64);
    (any_source(), prop, due_at, 0..5_i64, 0..5_u32).prop_map(
        |(source, prop, due_at, now, limit)| {
            let what = format!("timer {source} {prop} {due_at:?} {now} {limit}");
            Operation::new(what, move |c| {
                timers::upsert(c, &source, prop, &TimerSpec::HOURLY, due_at)?;
                let due = timers::due(c, now, limit)?;
                Ok(format!("{due:?} {:?}", timers::next_due(c)?))
            })
        },
    )
}

/// Deploys a source, or with no creation time removes it.
fn source_operation() -> impl Strategy<Value = Operation> {
    (tail(), option::of(0..3_i64), any::<bool>()).prop_map(|(tail, created_at, active)| {
        let what = format!("source {tail} {created_at:?} {active}");
        Operation::new(what, move |c| match created_at {
            Some(created_at) => {
                let mut row = source(tail, &user_id("u"), created_at);
                row.active = active;
                sources::insert(c, &row)?;
                Ok(String::new())
            }
            None => Ok(sources::remove(c, &source_id(tail))?.to_string()),
        })
    })
}

fn list_sources() -> impl Strategy<Value = Operation> {
    let cursors = (option::of(cursor()), option::of(cursor()));
    (0..5_u32, cursors, source_filter()).prop_map(|(limit, (after, before), filter)| {
        let page = Page {
            limit,
            after,
            before,
        };
        Operation::new(format!("{page:?} {filter:?}"), move |c| {
            let rows = sources::list(c, &user_id("u"), &filter, &page)?;
            let count = sources::count(c, &user_id("u"), &filter)?;
            Ok(format!("{rows:?} {count}"))
        })
    })
}

fn source_filter() -> impl Strategy<Value = EmitterFilter> {
    let state = prop_oneof![
        Just(EmitterState::Active),
        Just(EmitterState::Inactive),
        Just(EmitterState::Failing { since: 0 }),
    ];
    let text = option::weighted(0.3, "[SsUuÄä%_]{0,2}");
    (text, option::weighted(0.3, state))
        .prop_map(|(text, state)| EmitterFilter::new(text.as_deref(), state))
}

/// Compares lines without their places, which need not be the same.
fn log_operation() -> impl Strategy<Value = Operation> {
    (any_source(), "[aAéÉ%_.]{0,8}", 0..4_u64, 0..4_u32).prop_map(
        |(source, message, keep, batch)| {
            let what = format!("log {source} {message:?} {keep} {batch}");
            Operation::new(what, move |c| {
                let line = NewLog {
                    invocation: None,
                    ts: 1,
                    kind: "k",
                    level: "l",
                    message: &message,
                };
                logs::insert(c, &source, &line)?;
                let limit = BatchLimit {
                    rows: batch,
                    bytes: 1_000,
                };
                let pruned = match logs::seq_behind(c, &source, keep)? {
                    Some(last) => pruning::logs(c, &source, last, limit)?,
                    None => 0,
                };
                let search = Search {
                    query: SearchQuery::parse("aé").expect("a query"),
                    ..Search::default()
                };
                let part = Part {
                    direction: Direction::Older,
                    from: None,
                    rows: 1_000,
                    wanted: 1_000,
                };
                let found = search::logs(c, &source, &search, &part)?.found.len();
                let lines = logs::page(c, &source, 5, None, None)?;
                let messages: Vec<_> = lines.iter().map(|line| line.message.as_str()).collect();
                Ok(format!("{pruned} {found} {messages:?}"))
            })
        },
    )
}

fn use_up() -> impl Strategy<Value = Operation> {
    (0..3_i64, 0..4_u64).prop_map(|(day, invocations)| {
        Operation::new(format!("use {day} {invocations}"), move |c| {
            let added = Usage {
                invocations,
                compute_ms: 1,
            };
            usage::add(c, &user_id("u"), day, added)?;
            Ok(format!("{:?}", usage::between(c, &user_id("u"), 1, 2)?))
        })
    })
}
