//! The author of a change.

use std::net::IpAddr;

use sluice_model::UserId;
use sluice_store::{
    audit::{AuditActor, Credential},
    users::User,
};

/// The author of a change: the router passes it to each use case that changes something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    pub user_id: UserId,
    pub name: String,
    pub credential: Credential,
    /// The named key, if it is one.
    pub credential_id: Option<String>,
    /// The client's address.
    pub address: Option<IpAddr>,
}

impl Actor {
    pub fn new(user: &User, credential: Credential, address: Option<IpAddr>) -> Actor {
        Actor {
            user_id: user.id.clone(),
            name: user.username.clone(),
            credential,
            credential_id: None,
            address,
        }
    }

    /// The server, which changes something on its own.
    pub fn server() -> Actor {
        let AuditActor {
            name, credential, ..
        } = AuditActor::server();
        Actor {
            user_id: UserId::server(),
            name,
            credential,
            credential_id: None,
            address: None,
        }
    }

    pub(super) fn stored(&self) -> AuditActor {
        AuditActor {
            id: Some(self.user_id.clone()),
            name: self.name.clone(),
            credential: self.credential,
            credential_id: self.credential_id.clone(),
            address: self.address.map(|address| address.to_string()),
        }
    }
}
