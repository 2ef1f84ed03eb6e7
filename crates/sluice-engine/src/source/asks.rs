//! Answering what a component asks while it runs: one transaction at a time for each process, with all that waits, so
//! that questions are answered in the order they were asked and a component that floods waits for itself alone.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value};
use sluice_model::{ComponentShape, PropType, UserId};
use sluice_runtime::{Answer, Answers, Ask};
use sluice_store::Conn;
use tokio::sync::mpsc;

use super::store_request::{Limits, StoreRequest};
use crate::context::Context;

const MOST_AT_ONCE: usize = 64;

/// Takes the questions of one process. When it is dropped, those it took are still answered.
pub(crate) struct Asks(mpsc::UnboundedSender<Ask>);

/// What the questions of a process are about: whose stores, and which of them its props name.
pub(crate) struct Reach {
    user: UserId,
    /// By module, and then by prop.
    stores: HashMap<String, HashMap<String, String>>,
}

impl Reach {
    /// Of modules with their names, the shapes of their components, and the values of their props.
    pub(crate) fn of<'a>(
        user: &UserId,
        modules: impl IntoIterator<Item = (&'a str, &'a ComponentShape, &'a Map<String, Value>)>,
    ) -> Reach {
        let stores = modules.into_iter().map(|(module, shape, values)| {
            let named = shape.props_of(&PropType::DataStore).filter_map(|prop| {
                let name = values.get(&prop.name)?.as_str()?;
                Some((prop.name.clone(), name.to_owned()))
            });
            (module.to_owned(), named.collect())
        });
        Reach {
            user: user.clone(),
            stores: stores.collect(),
        }
    }
}

impl Asks {
    pub(crate) fn serve(context: &Arc<Context>, reach: Reach, answers: Answers) -> Asks {
        let (sender, receiver) = mpsc::unbounded_channel();
        context
            .infra
            .shutdown
            .spawn(serve(Arc::clone(context), reach, answers, receiver));
        Asks(sender)
    }

    pub(crate) fn take(&self, ask: Ask) {
        // The server is going down when nobody takes it.
        let _ = self.0.send(ask);
    }
}

async fn serve(
    context: Arc<Context>,
    reach: Reach,
    answers: Answers,
    mut asks: mpsc::UnboundedReceiver<Ask>,
) {
    let limits = Limits {
        value_bytes: context.infra.settings.max_data_store_value,
        store_bytes: context.infra.settings.max_data_store as u64,
    };
    let none = HashMap::new();
    let mut waiting = Vec::new();
    while asks.recv_many(&mut waiting, MOST_AT_ONCE).await > 0 {
        let mut parsed = Vec::with_capacity(waiting.len());
        for ask in waiting.drain(..) {
            let stores = reach.stores.get(&ask.module).unwrap_or(&none);
            match StoreRequest::parse(&ask, stores, limits.value_bytes) {
                Ok(request) => parsed.push((ask.number, request)),
                Err(fault) => answers.send([(ask.number, Err(fault))]),
            }
        }
        if parsed.is_empty() {
            continue;
        }
        // Whoever takes several stores takes them in one order, or two could wait for each other. Nobody can tell: all of
        // these were asked before any was answered, and those of one store stay in their order.
        parsed.sort_by(|(_, a), (_, b)| a.store().cmp(b.store()));
        let (numbers, requests): (Vec<u64>, Vec<StoreRequest>) = parsed.into_iter().unzip();
        let results = perform(&context, &reach.user, requests, limits).await;
        answers.send(numbers.into_iter().zip(results));
    }
}

async fn perform(
    context: &Context,
    user: &UserId,
    requests: Vec<StoreRequest>,
    limits: Limits,
) -> Vec<Answer> {
    let (user, now_ms) = (user.clone(), context.infra.clock.now_ms());
    let (count, writes) = (requests.len(), requests.iter().any(StoreRequest::writes));
    let work = move |c: &mut dyn Conn| {
        requests
            .iter()
            .map(|request| request.perform(c, &user, limits, now_ms))
            .collect::<Result<Vec<Answer>, _>>()
    };
    let done = if writes {
        context.infra.store.write(work).await
    } else {
        context.infra.store.read(work).await
    };
    done.unwrap_or_else(|error| {
        tracing::warn!(%error, "questions about data stores could not be answered");
        let told = || Err("the data store cannot be reached at the moment".to_owned());
        std::iter::repeat_with(told).take(count).collect()
    })
}
