//! A server whose log is compared before and after each request.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use serde_json::Value;
use sluice_testkit::Request;

use super::actions::AUDITED;
use crate::server::{TestServer, User};

/// A server that keeps the retries of deliveries pending, and allows sign-up.
pub(super) async fn server() -> Arc<TestServer> {
    TestServer::with(|settings| {
        settings.allow_signup = true;
        settings.webhook_retries = vec![Duration::from_hours(1)];
    })
    .await
}

/// The entries of all accounts, newest first.
pub(super) async fn entries(server: &Arc<TestServer>) -> Vec<Value> {
    let page = server.operator().get("/audit?scope=all&limit=100").await;
    let page = page.expect(200);
    page["data"].as_array().expect("a list").clone()
}

pub(super) async fn username(user: &User) -> String {
    let me = user.get("/session").await.ok();
    me["user"]["username"].as_str().expect("a name").to_owned()
}

/// Compares each request with the table of actions.
pub(super) struct Log {
    pub(super) server: Arc<TestServer>,
    pub(super) seen: BTreeSet<&'static str>,
}

impl Log {
    pub(super) fn new(server: &Arc<TestServer>) -> Log {
        Log {
            server: Arc::clone(server),
            seen: BTreeSet::new(),
        }
    }

    /// Sends a request, which must leave one entry: the action of its operation, by this user.
    pub(super) async fn expect(
        &mut self,
        operation: &'static str,
        actor: &str,
        request: Request,
    ) -> (Value, Value) {
        let before = entries(&self.server).await.len();
        let answer = request.send().await;
        assert!(answer.status < 300, "{operation}: {}", answer.text);
        let entries = entries(&self.server).await;
        assert_eq!(entries.len() - before, 1, "{operation}: {entries:#?}");
        let entry = entries[0].clone();
        let action = AUDITED.iter().find(|(id, _)| *id == operation);
        assert_eq!(
            Some(entry["action"].as_str().unwrap()),
            action.map(|(_, action)| *action)
        );
        assert_eq!(entry["actor"]["name"], actor, "{operation}");
        assert_eq!(entry["actor"]["address"], "127.0.0.1", "{operation}");
        self.seen.insert(operation);
        let mut body = answer.body;
        let data = body.get_mut("data").map_or(Value::Null, Value::take);
        (data, entry)
    }
}

/// Asserts the target of an entry.
#[track_caller]
pub(super) fn targets(entry: &Value, kind: &str, id: &Value) {
    assert_eq!(entry["target"]["kind"], kind, "{entry:#}");
    assert_eq!(&entry["target"]["id"], id, "{entry:#}");
}
