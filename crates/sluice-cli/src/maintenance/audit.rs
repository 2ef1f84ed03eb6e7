//! Entries of the audit log for commands on the machine of the server. Their author is an account of the operating system.

use std::{env, sync::Arc};

use rustix::{process::getuid, system::uname};
use serde_json::{Map, Value};
use sluice_infra::Ids;
use sluice_model::{AuditEntryId, Clock, SystemClock, UserId};
use sluice_store::{
    Conn, StoreError,
    audit::{self, Action, AuditActor, AuditEntry, AuditTarget, Credential, TargetKind},
    users::User,
};

/// `sudo` keeps the account of the person in the first one.
const ACCOUNT_VARIABLES: [&str; 3] = ["SUDO_USER", "LOGNAME", "USER"];

/// A change that a command makes.
pub(crate) struct MachineChange {
    action: Action,
    user: Option<UserId>,
    target: AuditTarget,
    details: Map<String, Value>,
}

impl MachineChange {
    /// A change of the whole server.
    pub(crate) fn of_server(action: Action) -> MachineChange {
        MachineChange {
            action,
            user: None,
            target: target(TargetKind::Server, "", ""),
            details: Map::new(),
        }
    }

    /// A change of a user.
    pub(crate) fn of_user(action: Action, user: &User) -> MachineChange {
        MachineChange {
            action,
            user: Some(user.id.clone()),
            target: target(TargetKind::User, user.id.as_str(), &user.username),
            details: Map::new(),
        }
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> MachineChange {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Writes the entry in the transaction of the change.
    pub(crate) fn record(self, c: &mut dyn Conn) -> Result<(), StoreError> {
        let clock = SystemClock;
        let ids = Ids::from_entropy(Arc::new(SystemClock));
        let change = self.with("host", host());
        let entry = AuditEntry {
            id: AuditEntryId::ordered(&ids.emit()),
            user_id: change.user,
            actor: AuditActor {
                id: None,
                name: account(),
                credential: Credential::Machine,
                credential_id: None,
                address: None,
            },
            action: change.action,
            target: change.target,
            details: Value::Object(change.details).to_string(),
            created_at: clock.now_ms(),
        };
        audit::insert(c, &entry)
    }
}

fn target(kind: TargetKind, id: &str, name: &str) -> AuditTarget {
    AuditTarget {
        kind,
        id: id.to_owned(),
        name: name.to_owned(),
    }
}

/// The account of the operating system, as the environment names it.
fn account() -> String {
    let named = ACCOUNT_VARIABLES.iter().find_map(|name| {
        let value = env::var(name).ok()?;
        (!value.is_empty()).then_some(value)
    });
    named.unwrap_or_else(|| format!("uid {}", getuid().as_raw()))
}

fn host() -> String {
    uname().nodename().to_string_lossy().into_owned()
}
