//! The instructions of the server to the launcher: the protections to apply, and the exceptions from them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The confinement of one process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Confinement {
    /// The server process, which this one must not outlive.
    pub server: u32,
    pub protections: Protections,
    /// Programs that may be executed.
    pub executable: Vec<PathBuf>,
    /// Files and folders that may be read.
    pub readable: Vec<PathBuf>,
    /// Folders that may be read and written.
    pub writable: Vec<PathBuf>,
    /// Mounts that can be written: these folders or some around them.
    pub writable_mounts: Vec<PathBuf>,
    /// The pipe that the harness writes to.
    pub writable_pipe: Option<PathBuf>,
    /// The folder to show as `/tmp`.
    pub private_tmp: Option<PathBuf>,
    pub working_folder: PathBuf,
    /// The user and group to become; `None` to stay the server's.
    pub user: Option<u32>,
    /// Files and folders that such a user must be able to reach.
    pub revealed: Vec<PathBuf>,
    /// The pipe on which to announce the listener to the server, which then makes the connections.
    pub announcements: Option<PathBuf>,
    /// The only ports that TCP may connect to; `None` for all.
    pub connect_ports: Option<Vec<u16>>,
    pub ipv6: bool,
    pub udp: bool,
    /// The limit of the data segment.
    pub data_bytes: u64,
}

/// The protections that this machine supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protections {
    pub landlock: Landlock,
    /// System calls by seccomp.
    pub seccomp: bool,
    /// Connections by the broker in the server.
    pub broker: bool,
    pub namespaces: Namespaces,
    /// A network namespace that leads nowhere.
    pub network_namespace: bool,
}

/// The kinds of rules that Landlock has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Landlock {
    None,
    /// For files and folders.
    Files,
    /// Also for TCP ports.
    FilesAndPorts,
}

/// How a process gets namespaces of its own, and with them private mounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Namespaces {
    None,
    /// The server has the privilege.
    Direct,
    /// Together with a user namespace.
    OfUser,
}
