//! Replies across nodes. A client waits at the node that took its request, while the owner, on any node, replies. The inbox row
//! names the node of the client, so whoever runs it knows where the reply goes.

use std::{collections::HashMap, sync::Arc, time::Duration};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use sluice_cluster::REPLIES_PATH;
use sluice_infra::Infra;
use sluice_model::{EmitterId, InvocationId};
use sluice_runtime::Reply;
use sluice_store::{
    StoreError, inbox,
    replies::{self, StoredReply},
};
use tokio::sync::oneshot;

use super::reply::{NoReply, ReplySender};

/// How often replies are looked up that could not be sent here.
const POLL_PERIOD: Duration = Duration::from_millis(500);
/// No client waits longer than this.
const LONGEST_WAIT: Duration = Duration::from_mins(10);

type Outcome = Result<Reply, NoReply>;

/// Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Replies(Arc<Inner>);

struct Inner {
    infra: Infra,
    /// Clients of this node.
    waiting: Mutex<HashMap<InvocationId, ReplySender>>,
}

/// A reply on its way to another node.
#[derive(Serialize, Deserialize)]
struct Message {
    invocation: InvocationId,
    reply: ReplyText,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReplyText {
    Response {
        status: u16,
        headers: Vec<(String, String)>,
        /// In base64.
        body: String,
    },
    EndedWithoutRespond(String),
    TimedOut,
    Gone,
}

impl Replies {
    pub(crate) fn new(infra: Infra) -> Replies {
        Replies(Arc::new(Inner {
            infra,
            waiting: Mutex::default(),
        }))
    }

    /// A client of this node waits for the reply to an invocation that is about to be stored.
    pub(crate) fn expect(&self, id: InvocationId, client: ReplySender) {
        self.0.waiting.lock().insert(id, client);
    }

    /// The invocation was not stored.
    pub(crate) fn withdraw(&self, id: &InvocationId) -> Option<ReplySender> {
        self.0.waiting.lock().remove(id)
    }

    /// The sender of the reply to an inbox row that names the node of its client.
    pub(crate) fn sender_to(
        &self,
        node: &str,
        emitter: &EmitterId,
        id: InvocationId,
    ) -> ReplySender {
        let (sender, reply) = oneshot::channel();
        let forward = forward(self.clone(), node.to_owned(), emitter.clone(), id, reply);
        self.0.infra.shutdown.spawn(forward);
        sender
    }

    /// Takes the message of another node; false when it is not understood.
    pub fn receive(&self, message: &[u8]) -> bool {
        let Ok(Message { invocation, reply }) = serde_json::from_slice(message) else {
            return false;
        };
        self.answer(&invocation, reply.into());
        true
    }

    fn answer(&self, id: &InvocationId, outcome: Outcome) {
        if let Some(client) = self.0.waiting.lock().remove(id) {
            let _ = client.send(outcome);
        }
    }

    /// Fetches replies that could not be sent here, until the server ends.
    pub(crate) async fn poll(self) {
        let infra = &self.0.infra;
        if infra.cluster.owns_database() {
            return;
        }
        while !infra.shutdown.is_draining() {
            infra.shutdown.sleep(POLL_PERIOD).await;
            if !self.has_clients() {
                continue;
            }
            if let Err(error) = self.fetch().await {
                tracing::warn!(%error, "stored replies not read; retrying");
            }
        }
    }

    /// Whether clients wait. Those that hung up are forgotten.
    fn has_clients(&self) -> bool {
        let mut waiting = self.0.waiting.lock();
        waiting.retain(|_, client| !client.is_closed());
        !waiting.is_empty()
    }

    async fn fetch(&self) -> Result<(), StoreError> {
        let infra = &self.0.infra;
        let node = infra.cluster.incarnation().to_owned();
        let before = infra.now_ms() - i64::try_from(LONGEST_WAIT.as_millis()).unwrap_or(i64::MAX);
        let stored = infra.store.write(move |c| {
            replies::remove_before(c, before)?;
            replies::take(c, &node)
        });
        for StoredReply { invocation, reply } in stored.await? {
            if let Ok(reply) = serde_json::from_str::<ReplyText>(&reply) {
                self.answer(&invocation, reply.into());
            }
        }
        Ok(())
    }
}

async fn forward(
    replies: Replies,
    node: String,
    emitter: EmitterId,
    id: InvocationId,
    reply: oneshot::Receiver<Outcome>,
) {
    // An owner that is gone leaves the row, and the next one, on another node, replies.
    let outcome = reply.await.unwrap_or(Err(NoReply::Gone));
    let infra = &replies.0.infra;
    let is_left = matches!(outcome, Err(NoReply::Gone)) && !infra.cluster.is_alone();
    if is_left && is_waiting(infra, &emitter, id).await {
        return;
    }
    if node == infra.cluster.incarnation() {
        replies.answer(&id, outcome);
        return;
    }
    let message = Message {
        invocation: id,
        reply: outcome.into(),
    };
    let Ok(body) = serde_json::to_vec(&message) else {
        return;
    };
    let Err(error) = infra.cluster.post(&node, REPLIES_PATH, body.into()).await else {
        return;
    };
    tracing::debug!(node, %error, "reply left in the store");
    let stored = StoredReply {
        invocation: id,
        reply: serde_json::to_string(&message.reply).unwrap_or_default(),
    };
    let now_ms = infra.now_ms();
    let write = infra
        .store
        .write(move |c| replies::insert(c, &node, &stored, now_ms));
    if let Err(error) = write.await {
        tracing::warn!(%error, "reply for a client of another node lost");
    }
}

async fn is_waiting(infra: &Infra, emitter: &EmitterId, id: InvocationId) -> bool {
    let emitter = emitter.clone();
    let read = infra.store.read(move |c| inbox::contains(c, &emitter, &id));
    // Another owner may have it if that is not known.
    read.await.unwrap_or(true)
}

impl From<Outcome> for ReplyText {
    fn from(outcome: Outcome) -> ReplyText {
        match outcome {
            Ok(Reply {
                status,
                headers,
                body,
            }) => ReplyText::Response {
                status,
                headers,
                body: BASE64_STANDARD.encode(body),
            },
            Err(NoReply::EndedWithoutRespond(message)) => ReplyText::EndedWithoutRespond(message),
            Err(NoReply::TimedOut) => ReplyText::TimedOut,
            Err(NoReply::Gone) => ReplyText::Gone,
        }
    }
}

impl From<ReplyText> for Outcome {
    fn from(text: ReplyText) -> Outcome {
        match text {
            ReplyText::Response {
                status,
                headers,
                body,
            } => match BASE64_STANDARD.decode(body) {
                Ok(body) => Ok(Reply {
                    status,
                    headers,
                    body: Bytes::from(body),
                }),
                Err(_) => Err(NoReply::Gone),
            },
            ReplyText::EndedWithoutRespond(message) => Err(NoReply::EndedWithoutRespond(message)),
            ReplyText::TimedOut => Err(NoReply::TimedOut),
            ReplyText::Gone => Err(NoReply::Gone),
        }
    }
}
