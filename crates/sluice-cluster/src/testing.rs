//! Nodes for tests: one whose lease the test controls, and some that know of each other without a heartbeat.

use std::io;

use sluice_store::{
    Store,
    nodes::{NewNode, Node, NodeState},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream},
    net::{TcpListener, TcpStream},
};

use crate::{
    boot_time,
    hint::Hint,
    lease::Lease,
    links::NODE_HEADER,
    membership::{Cluster, PROTOCOL, Shares},
};

/// A node without other nodes, whose lease has run out.
pub fn without_lease(store: &Store) -> Cluster {
    let long_ago = boot_time::now_ms() - 60_000;
    Cluster::with_lease(
        store.incarnation(),
        Lease::granted(long_ago),
        Shares::Nothing,
    )
}

/// A node of a database that others use too. It always holds its lease, and knows of no other node.
pub fn sharing(incarnation: &str) -> Cluster {
    Cluster::with_lease(incarnation, Lease::endless(), Shares::Database)
}

/// Renews the lease for the usual time.
pub fn renew(cluster: &Cluster) {
    cluster.lease().renewed(boot_time::now_ms());
}

/// A node with this name and incarnation, which shares its database and takes hints. It knows of no other node before
/// [`introduce`].
pub async fn node(name: &str) -> Cluster {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let description = NewNode {
        incarnation: name.to_owned(),
        name: name.to_owned(),
        address: Some(address.to_string()),
        public_url: "http://127.0.0.1".to_owned(),
        version: "0.0.0".to_owned(),
        protocol: PROTOCOL,
    };
    let cluster = Cluster::without_heartbeat(description, Lease::endless(), Shares::Database);
    let node = cluster.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(receive_hints(node.clone(), stream));
        }
    });
    cluster
}

/// Makes nodes know of each other, of which all but one drain.
pub fn prefer(preferred: &Cluster, nodes: &[&Cluster]) {
    let members: Vec<Node> = nodes
        .iter()
        .map(|node| node.describe(state_of(node, preferred)))
        .collect();
    for node in nodes {
        node.set_members(members.clone());
    }
}

fn state_of(node: &Cluster, preferred: &Cluster) -> NodeState {
    if node.incarnation() == preferred.incarnation() {
        NodeState::Active
    } else {
        NodeState::Draining
    }
}

/// Makes nodes know of each other. Each takes the others for draining, and so itself for the one that should own everything.
pub fn introduce(nodes: &[&Cluster]) {
    for node in nodes {
        let members = nodes.iter();
        let members = members.map(|other| other.describe(state_of(other, node)));
        node.set_members(members.collect());
    }
}

/// Makes a node of [`node`] work as the only one.
pub fn set_alone(node: &Cluster) {
    node.set_alone();
}

/// Takes the hints of one connection.
async fn receive_hints(cluster: Cluster, stream: TcpStream) -> io::Result<()> {
    let mut stream = BufStream::new(stream);
    loop {
        let (mut from, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            match line.trim_end().split_once(": ") {
                Some((NODE_HEADER, node)) => from = node.to_owned(),
                Some(("content-length", bytes)) => length = bytes.parse().unwrap_or(0),
                None if line == "\r\n" => break,
                Some(_) | None => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let hints = Hint::parse_all(&body).unwrap_or_default();
        cluster.receive(&from, hints);
        let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
        stream.write_all(answer).await?;
        stream.flush().await?;
    }
}
