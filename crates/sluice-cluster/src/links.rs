//! The links to other nodes. Each node has one task, which sends what has gathered since its last message, so a burst of hints is
//! one request on a connection that stays open.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use reqwest::{Body, Client, StatusCode};
use thiserror::Error;
use tokio::sync::Notify;

use crate::{hint::Hint, members::Members};

/// Where hints go.
pub const HINTS_PATH: &str = "/hints";
/// Where traffic goes.
pub const TRAFFIC_PATH: &str = "/traffic";
/// Where replies go.
pub const REPLIES_PATH: &str = "/replies";
/// Names the node that sends.
pub const NODE_HEADER: &str = "sluice-node";
/// Carries the token that all nodes have.
pub const TOKEN_HEADER: &str = "sluice-cluster-token";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug, Error)]
pub enum LinkError {
    #[error("the node is not alive or does not listen")]
    Unreachable,
    #[error("the node answered {0}")]
    Refused(StatusCode),
    #[error(transparent)]
    Http(#[from] reqwest::Error),
}

/// The links of this node.
pub(crate) struct Links {
    client: Client,
    /// Proves that a message comes from a node that could open the same database.
    pub(crate) token: String,
    this_node: String,
    members: Arc<Members>,
    outgoing: Mutex<HashMap<String, Arc<Outgoing>>>,
}

/// Hints that wait for a node.
#[derive(Default)]
struct Outgoing {
    hints: Mutex<BTreeSet<Hint>>,
    changed: Notify,
}

impl Links {
    pub(crate) fn new(
        token: String,
        this_node: &str,
        members: &Arc<Members>,
    ) -> Result<Links, reqwest::Error> {
        let client = Client::builder()
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .build()?;
        Ok(Links {
            client,
            token,
            this_node: this_node.to_owned(),
            members: Arc::clone(members),
            outgoing: Mutex::default(),
        })
    }

    /// The client for requests that are passed on, which may take as long as they take.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// Adds a hint to those that wait for a node.
    pub(crate) fn hint(self: &Arc<Self>, node: &str, hint: Hint) {
        let mut outgoing = self.outgoing.lock();
        let waiting = outgoing.get(node).cloned().unwrap_or_else(|| {
            let new = Arc::<Outgoing>::default();
            outgoing.insert(node.to_owned(), Arc::clone(&new));
            let links = Arc::clone(self);
            tokio::spawn(links.send_hints(node.to_owned(), Arc::clone(&new)));
            new
        });
        waiting.hints.lock().insert(hint);
        drop(outgoing);
        waiting.changed.notify_one();
    }

    /// Sends the hints for a node until it is gone.
    async fn send_hints(self: Arc<Self>, node: String, outgoing: Arc<Outgoing>) {
        let mut is_reachable = true;
        loop {
            outgoing.changed.notified().await;
            let hints = std::mem::take(&mut *outgoing.hints.lock());
            if self.members.address_of(&node).is_none() {
                self.outgoing.lock().remove(&node);
                return;
            }
            let body = serde_json::to_vec(&hints).unwrap_or_default();
            let sent = self.post(&node, HINTS_PATH, body.into()).await;
            if let Err(error) = &sent
                && is_reachable
            {
                tracing::warn!(node, %error, "a node is not reachable; its work is found by polling");
            }
            is_reachable = sent.is_ok();
        }
    }

    /// Sends one message.
    pub(crate) async fn post(&self, node: &str, path: &str, body: Body) -> Result<(), LinkError> {
        let address = self.members.address_of(node);
        let address = address.ok_or(LinkError::Unreachable)?;
        let request = self
            .client
            .post(format!("http://{address}{path}"))
            .header(TOKEN_HEADER, &self.token)
            .header(NODE_HEADER, &self.this_node)
            .timeout(MESSAGE_TIMEOUT)
            .body(body);
        let status = request.send().await?.status();
        if status.is_success() {
            Ok(())
        } else {
            Err(LinkError::Refused(status))
        }
    }
}
