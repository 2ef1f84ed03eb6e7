//! Joining the servers of the database.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
};

use anyhow::Context;
use sluice_cluster::{Cluster, Joining, NodeDescription};
use sluice_store::{Dialect, Store, Vault, nodes};
use tokio::net::TcpListener;

use crate::options::ClusterOptions;

/// The file in the data folder with the incarnation of its last server.
const INCARNATION_FILE: &str = "incarnation";

/// This server among those of its database, and the listener for their messages.
pub(super) struct Membership {
    pub(super) cluster: Cluster,
    pub(super) listener: Option<TcpListener>,
}

/// What a server says of itself.
pub(super) struct Introduction<'a> {
    pub(super) public_url: &'a str,
    pub(super) data_dir: &'a Path,
    pub(super) now_ms: i64,
}

pub(super) async fn join(
    options: &ClusterOptions,
    store: &Store,
    vault: &Vault,
    Introduction {
        public_url,
        data_dir,
        now_ms,
    }: Introduction<'_>,
) -> anyhow::Result<Membership> {
    let mut description = NodeDescription {
        name: options.node_name(),
        address: None,
        public_url: public_url.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    if store.read(|c| Ok(c.dialect())).await? == Dialect::Sqlite {
        return Ok(Membership {
            cluster: Cluster::alone(store, description, now_ms),
            listener: None,
        });
    }
    // Directly: behind a pooler it is the address of the pooler.
    let seen = store.heartbeat(nodes::client_address).await?;
    let seen = seen.as_deref().unwrap_or("127.0.0.1");
    let listener = listen(options.cluster_listen, seen).await?;
    description.address = Some(address(options, seen, listener.local_addr()?));
    let file = data_dir.join(INCARNATION_FILE);
    let joining = Joining {
        description,
        token: vault.fingerprint("messages of servers"),
        predecessor: predecessor(&file)?,
    };
    let cluster = Cluster::join(store, joining)
        .await
        .context("cannot join the servers of the database")?;
    std::fs::write(&file, cluster.incarnation())
        .with_context(|| format!("cannot write {}", file.display()))?;
    Ok(Membership {
        cluster,
        listener: Some(listener),
    })
}

/// Listens on the given address, or on the one that the database sees. Behind a translation of addresses that is not one of this
/// machine: then it listens on all.
async fn listen(given: Option<SocketAddr>, seen: &str) -> anyhow::Result<TcpListener> {
    if given.is_none()
        && let Ok(ip) = seen.parse::<IpAddr>()
        && let Ok(listener) = TcpListener::bind((ip, 0)).await
    {
        return Ok(listener);
    }
    let address = given.unwrap_or(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
    TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address} for other servers"))
}

/// Where the others reach this server.
fn address(options: &ClusterOptions, seen: &str, listening: SocketAddr) -> String {
    let port = listening.port();
    if let Some(given) = &options.cluster_address {
        let has_port = given.parse::<SocketAddr>().is_ok()
            || given
                .rsplit_once(':')
                .is_some_and(|(host, port)| !host.contains(':') && port.parse::<u16>().is_ok());
        return if has_port {
            given.clone()
        } else {
            host_and_port(given, port)
        };
    }
    if listening.ip().is_unspecified() {
        host_and_port(seen, port)
    } else {
        listening.to_string()
    }
}

fn host_and_port(host: &str, port: u16) -> String {
    if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]:{port}")
    } else {
        format!("{host}:{port}")
    }
}

/// The last server of this data folder. It has ended: the folder is locked.
fn predecessor(file: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(file) {
        Ok(incarnation) => Ok(Some(incarnation.trim().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
    }
}
