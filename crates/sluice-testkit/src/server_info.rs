//! How to reach a running server.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::Api;

/// The plan of a test user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    Free,
    Paid,
}

/// A running server, which another process may have started.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ServerInfo {
    url: String,
    api_key: String,
    data_dir: PathBuf,
    pid: u32,
}

impl ServerInfo {
    pub(crate) fn new(url: String, api_key: String, data_dir: PathBuf, pid: u32) -> Self {
        Self {
            url,
            api_key,
            data_dir,
            pid,
        }
    }

    pub(crate) fn restarted(&mut self, url: String, pid: u32) {
        self.url = url;
        self.pid = pid;
    }

    /// `http://127.0.0.1:<port>`, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// `127.0.0.1:<port>`, for raw sockets.
    pub fn addr(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The key of the first user, who is the operator.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// A client that acts as the operator.
    pub fn api(&self) -> Api {
        Api::new(&self.url, &self.api_key)
    }

    /// Creates a user and returns a client for it. `name` must be new on this server.
    pub async fn user(&self, name: &str, plan: Plan) -> Api {
        let plan = match plan {
            Plan::Free => "free",
            Plan::Paid => "paid",
        };
        let email = format!("{name}@example.com");
        let body = json!({ "username": name, "email": email, "plan": plan });
        let user = self.api().post("/users", &body).await.ok();
        let key = user["api_key"].as_str();
        Api::new(&self.url, key.expect("a new user has an api_key"))
    }
}
