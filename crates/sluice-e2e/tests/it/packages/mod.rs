//! npm packages of components: which versions they get, how they are kept, and what is refused.

mod contents;
mod installed;
mod keeping;
mod primed;
mod refused;
mod versions;

use serde_json::{Value, json};
use sluice_testkit::{Api, Registry, Server, ServerOptions};

use crate::support::{Deployed, deploy, server_as_it_comes};

/// A server with a registry of its own.
pub(crate) struct Shop {
    pub(crate) registry: Registry,
    pub(crate) server: Server,
}

impl Shop {
    async fn open() -> Shop {
        Shop::with(server_as_it_comes()).await
    }

    pub(crate) async fn with(options: ServerOptions) -> Shop {
        let registry = Registry::start();
        let server = Server::start(options.registry(&registry)).await;
        Shop { registry, server }
    }

    fn api(&self) -> Api {
        self.server.api()
    }

    /// Publishes a package whose only export is its own version.
    fn publish(&self, name: &str, version: &str) {
        let code = format!("module.exports = '{name} {version}';");
        self.registry
            .publish(name, version, json!({}), &[("index.js", &code)]);
    }
}

/// CommonJS whose `run` emits the value of an expression.
fn emitting(expression: &str) -> String {
    format!(
        "module.exports = {{ name: 'T', version: '1', async run(event) {{ this.$emit({expression}); }} }};"
    )
}

/// An ES module with imports whose `run` emits the value of an expression.
fn importing(imports: &str, expression: &str) -> String {
    format!(
        "{imports}\nexport default {{ name: 'T', version: '1', async run(event) {{ this.$emit({expression}); }} }};"
    )
}

/// Deploys, runs once, and gives what was emitted.
async fn outcome(api: &Api, code: &str) -> Value {
    rerun(&deploy(api, code).await, 1).await
}

/// Runs a source and gives what its `count`-th event is.
async fn rerun(source: &Deployed, count: usize) -> Value {
    source.run(json!({})).await;
    source.events(count).await.pop().expect("an event")
}
