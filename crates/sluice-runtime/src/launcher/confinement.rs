//! What the server tells the launcher: the walls to put up, and what is on the inside of them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Everything about one process that its walls depend on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Confinement {
    /// The process that started this one; it must not outlive it.
    pub server: u32,
    pub walls: Walls,
    /// Programs that may be executed.
    pub executable: Vec<PathBuf>,
    /// Files and folders that may be read.
    pub readable: Vec<PathBuf>,
    /// Folders that may be read and written.
    pub writable: Vec<PathBuf>,
    /// The folder to show as `/tmp`.
    pub private_tmp: Option<PathBuf>,
    pub working_folder: PathBuf,
    /// The only ports TCP may connect to; all when absent.
    pub connect_ports: Option<Vec<u16>>,
    pub ipv6: bool,
    pub udp: bool,
    /// Memory the process may ask the kernel for.
    pub data_bytes: u64,
}

/// The walls this machine can put up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walls {
    /// Files and folders by Landlock.
    pub landlock: bool,
    /// TCP ports by Landlock.
    pub landlock_tcp: bool,
    /// System calls by seccomp.
    pub seccomp: bool,
    pub mounts: Mounts,
}

/// How a process gets mounts of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mounts {
    None,
    /// The server may make them itself.
    Direct,
    /// In a user namespace.
    UserNamespace,
}
