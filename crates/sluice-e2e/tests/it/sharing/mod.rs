//! Sources that share a process: who may, that they have nothing else in common, and that one does not harm the others.

mod harm;
mod isolation;
mod leaving;
mod separation;

use serde_json::{Value, json};
use sluice_testkit::{Method, Server, ServerOptions, wait_for};

use crate::support::{Deployed, PATIENCE, deploy, own_server};

/// A source with an endpoint. `before` is code of its module, and `run` the body of its `run(event)`.
fn shareable(before: &str, run: &str) -> String {
    format!(
        "{before}
         export default {{
           name: 'Test', version: '0.0.1', props: {{ http: '$.interface.http', db: '$.service.db' }},
           async run(event) {{ {run} }},
         }};"
    )
}

/// A server with low limits, and sources that have the same code.
struct Shared {
    server: Server,
    sources: Vec<Deployed>,
}

impl Shared {
    async fn start(code: &str, count: usize, flags: &[&str]) -> Shared {
        Shared::on(own_server(), code, count, flags).await
    }

    async fn on(options: ServerOptions, code: &str, count: usize, flags: &[&str]) -> Shared {
        let flags = ["--invocation-timeout", "3s", "--max-attempts", "2"]
            .iter()
            .chain(flags);
        let options = flags.fold(options, ServerOptions::arg);
        let server = Server::start(options).await;
        let mut sources = Vec::new();
        for _ in 0..count {
            sources.push(deploy(&server.api(), code).await);
        }
        Shared { server, sources }
    }

    /// Sends the same to all, one after another, and waits for an event of each.
    async fn send_all(&self, body: &Value) {
        for source in &self.sources {
            let before = source.summaries().await.len();
            source.send(body).await.expect(200);
            wait_for(PATIENCE, "an event", async || {
                (source.summaries().await.len() > before).then_some(())
            })
            .await;
        }
    }

    async fn metric(&self, name: &str) -> u64 {
        metric(&self.server, name).await
    }

    async fn wait_for_metric(&self, name: &str, expected: u64) {
        wait_for(PATIENCE, &format!("{name} {expected}"), async || {
            (self.metric(name).await == expected).then_some(())
        })
        .await;
    }
}

async fn metric(server: &Server, name: &str) -> u64 {
    let metrics = server.api().root(Method::GET, "/metrics").send().await.text;
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix(&format!("sluice_{name} ")));
    line.and_then(|value| value.parse().ok())
        .unwrap_or_else(|| panic!("no metric {name}"))
}

/// The numbers of processes that were started and of sources that joined one.
async fn starts(server: &Server) -> (u64, u64) {
    (
        metric(server, "process_starts_total").await,
        metric(server, "process_joins_total").await,
    )
}

fn ok() -> Value {
    json!("ok")
}
