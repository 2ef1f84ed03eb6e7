//! Reads the database of a cluster over one connection, without a proxy.

use tokio::sync::Mutex;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Living nodes, by the clock of the database.
const OWNERSHIP: &str = "SELECT s.emitter_id, n.name \
     FROM emitter_state s JOIN nodes n ON n.incarnation = s.owner \
     WHERE n.state = 'active' AND n.expires_at > EXTRACT(EPOCH FROM clock_timestamp()) * 1000";

/// Transactions of a node that have changed a row of an emitter and wait for their client, longer than a round trip takes.
const WAITING_FOR_COMMIT: &str = "SELECT 1 FROM pg_stat_activity a \
     JOIN nodes n ON strpos(a.application_name, n.incarnation) > 0 \
     JOIN pg_locks l ON l.pid = a.pid AND l.relation = 'emitter_state'::regclass \
     WHERE a.state = 'idle in transaction' AND l.mode = 'RowExclusiveLock' \
     AND a.state_change < clock_timestamp() - interval '0.2 s' AND n.name = ";

pub(super) struct Observer {
    url: String,
    client: Mutex<Option<Client>>,
}

/// A source and the living node that owns it.
#[derive(Debug, Clone)]
pub(super) struct Ownership {
    pub(super) emitter: String,
    pub(super) node: String,
}

impl Observer {
    pub(super) fn new(url: &str) -> Observer {
        Observer {
            url: url.to_owned(),
            client: Mutex::new(None),
        }
    }

    pub(super) async fn ownership(&self) -> Vec<Ownership> {
        let rows = self.rows(OWNERSHIP).await;
        let owned = |row: Vec<String>| Ownership {
            emitter: row[0].clone(),
            node: row[1].clone(),
        };
        rows.into_iter().map(owned).collect()
    }

    /// The number of the last commit of a source.
    pub(super) async fn commit_no(&self, emitter: &str) -> i64 {
        let sql = format!("SELECT commit_no FROM emitter_state WHERE emitter_id = '{emitter}'");
        self.rows(&sql).await[0][0].parse().expect("a number")
    }

    /// Whether an owner's transaction on a node has waited for its COMMIT for a while.
    pub(super) async fn waits_for_commit(&self, node: &str) -> bool {
        let sql = format!("{WAITING_FOR_COMMIT}'{node}'");
        !self.rows(&sql).await.is_empty()
    }

    /// The rows of a query, as texts; a null is empty.
    pub(super) async fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        let mut client = self.client.lock().await;
        if client.as_ref().is_none_or(Client::is_closed) {
            *client = Some(connect(&self.url).await);
        }
        let client = client.as_ref().expect("it is connected");
        let messages = client.simple_query(sql).await.expect("a valid query");
        messages.iter().filter_map(texts).collect()
    }
}

async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls)
        .await
        .expect("PostgreSQL is there");
    tokio::spawn(connection);
    client
}

fn texts(message: &SimpleQueryMessage) -> Option<Vec<String>> {
    let SimpleQueryMessage::Row(row) = message else {
        return None;
    };
    let text = |column| row.get(column).unwrap_or_default().to_owned();
    Some((0..row.len()).map(text).collect())
}
