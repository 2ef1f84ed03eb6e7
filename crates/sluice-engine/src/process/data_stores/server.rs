//! Serves the data-store requests of one process. One transaction at a time takes all waiting requests, so requests are
//! answered in order, and a component that floods delays only itself.

use std::collections::HashMap;

use serde_json::{Map, Value};
use sluice_infra::Infra;
use sluice_model::{ComponentShape, EmitterId, PropType, UserId};
use sluice_runtime::{Answer, Answers, Ask};
use sluice_store::{
    Conn, StoreError,
    state::{self, Fence},
};
use tokio::sync::mpsc;

use super::request::{Limits, StoreRequest};
use crate::disk_quota::DiskQuotas;

const MAX_BATCH: usize = 64;

/// The request queue of one process. Requests that it holds are answered after it is dropped.
pub(crate) struct DataStoreServer(mpsc::UnboundedSender<Ask>);

/// The data stores that a process may use: those of its user that its props name.
pub(crate) struct DataStoreAccess {
    user: UserId,
    /// Writes count only while this emitter belongs to its owner. A test run has none.
    emitter: Option<(EmitterId, Fence)>,
    /// By module, and then by prop.
    stores: HashMap<String, HashMap<String, String>>,
}

impl DataStoreAccess {
    /// From modules: name, shape of the component, values of its props.
    pub(crate) fn new<'a>(
        user: &UserId,
        emitter: Option<(EmitterId, Fence)>,
        modules: impl IntoIterator<Item = (&'a str, &'a ComponentShape, &'a Map<String, Value>)>,
    ) -> DataStoreAccess {
        let stores = modules.into_iter().map(|(module, shape, values)| {
            let named = shape.props_of(&PropType::DataStore).filter_map(|prop| {
                let name = values.get(&prop.name)?.as_str()?;
                Some((prop.name.clone(), name.to_owned()))
            });
            (module.to_owned(), named.collect())
        });
        DataStoreAccess {
            user: user.clone(),
            emitter,
            stores: stores.collect(),
        }
    }
}

impl DataStoreServer {
    pub(crate) fn start(
        infra: &Infra,
        disk: &DiskQuotas,
        access: DataStoreAccess,
        answers: Answers,
    ) -> DataStoreServer {
        let (sender, receiver) = mpsc::unbounded_channel();
        infra.shutdown.spawn(serve(
            infra.clone(),
            disk.clone(),
            access,
            answers,
            receiver,
        ));
        DataStoreServer(sender)
    }

    pub(crate) fn request(&self, ask: Ask) {
        // Fails only when the server is shutting down.
        let _ = self.0.send(ask);
    }
}

async fn serve(
    infra: Infra,
    disk: DiskQuotas,
    access: DataStoreAccess,
    answers: Answers,
    mut asks: mpsc::UnboundedReceiver<Ask>,
) {
    let mut limits = Limits {
        value_bytes: infra.settings.max_data_store_value,
        store_bytes: infra.settings.max_data_store as u64,
        is_disk_full: false,
    };
    let none = HashMap::new();
    let mut waiting = Vec::new();
    while asks.recv_many(&mut waiting, MAX_BATCH).await > 0 {
        let mut parsed = Vec::with_capacity(waiting.len());
        for ask in waiting.drain(..) {
            let stores = access.stores.get(&ask.module).unwrap_or(&none);
            match StoreRequest::parse(&ask, stores, limits.value_bytes) {
                Ok(request) => parsed.push((ask.number, request)),
                Err(error) => answers.send([(ask.number, Err(error))]),
            }
        }
        if parsed.is_empty() {
            continue;
        }
        // Transactions lock stores in one order, to avoid deadlocks. Requests of one store keep their order.
        parsed.sort_by(|(_, a), (_, b)| a.store().cmp(b.store()));
        let (numbers, requests): (Vec<u64>, Vec<StoreRequest>) = parsed.into_iter().unzip();
        limits.is_disk_full = disk.is_full(&access.user);
        let bytes = requests.iter().map(StoreRequest::bytes).sum();
        disk.written(&access.user, bytes);
        let results = perform(&infra, &access, requests, limits).await;
        answers.send(numbers.into_iter().zip(results));
    }
}

async fn perform(
    infra: &Infra,
    access: &DataStoreAccess,
    requests: Vec<StoreRequest>,
    limits: Limits,
) -> Vec<Answer> {
    let (user, now_ms) = (access.user.clone(), infra.now_ms());
    let emitter = access.emitter.clone();
    let (count, writes) = (requests.len(), requests.iter().any(StoreRequest::writes));
    let work = move |c: &mut dyn Conn| {
        if let Some((emitter, fence)) = emitter.as_ref().filter(|_| writes)
            && !state::hold(c, emitter, fence)?
        {
            return Err(StoreError::Fenced(format!(
                "another server has taken over {emitter}"
            )));
        }
        requests
            .iter()
            .map(|request| request.perform(c, &user, limits, now_ms))
            .collect::<Result<Vec<Answer>, _>>()
    };
    let done = if writes {
        infra.store.write(work).await
    } else {
        infra.store.read(work).await
    };
    done.unwrap_or_else(|error| {
        tracing::warn!(user = %access.user, %error, "data store requests failed");
        let failed = || Err("the data store cannot be accessed at the moment".to_owned());
        std::iter::repeat_with(failed).take(count).collect()
    })
}
