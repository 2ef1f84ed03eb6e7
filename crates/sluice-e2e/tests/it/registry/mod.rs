//! The registry and the components of accounts: publishing, finding, and the first use of what was imported.

mod account;
mod first_use;
mod lists;
mod server;

use sluice_testkit::{Answer, Api, Backend};

use crate::{
    api::fixtures::EMITTER,
    support::{new_user, shared_server, unique_name},
};

fn operator() -> Api {
    shared_server(Backend::Sqlite).api()
}

/// A key of the form that the registry wants, unlike that of any other test.
fn unique_key() -> String {
    format!("test-{}", unique_name())
}

fn emitter(key: &str, version: &str) -> String {
    EMITTER.replace(
        r#"version: "0.0.1""#,
        &format!(r#"version: "{version}", key: "{key}""#),
    )
}

/// What the registry has under a key, as anybody sees it.
async fn registered(key: &str) -> Answer {
    new_user()
        .await
        .get(&format!("/components/registry/{key}"))
        .await
}
