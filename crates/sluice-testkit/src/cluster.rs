//! Several servers on one PostgreSQL, each behind a network that a test can break.

use std::ops::{Deref, DerefMut};

use crate::{Api, OwnPostgres, Server, ServerOptions, TcpProxy, unique_hex};

/// The public URL of all nodes of a test. Nothing listens there: tests send requests to each node's own address.
pub const PUBLIC_URL: &str = "http://127.0.0.1:1";

/// Nodes with one database, one master key and one API key.
#[derive(Debug)]
pub struct Cluster {
    // Nodes end before their database.
    nodes: Vec<Node>,
    database: OwnPostgres,
    api_key: String,
}

/// One server of a cluster, with a data folder of its own. It reaches the database through a proxy, and other nodes reach it
/// through another one.
#[derive(Debug)]
pub struct Node {
    server: Server,
    name: String,
    to_database: TcpProxy,
    from_nodes: TcpProxy,
}

impl Cluster {
    /// Starts nodes named `n1`, `n2` and so on, on a PostgreSQL of their own with fsync.
    pub async fn start(nodes: usize, options: ServerOptions) -> Cluster {
        Cluster::start_at(PUBLIC_URL, nodes, options).await
    }

    /// Starts nodes whose users reach them at this URL, for example that of a balancer.
    pub async fn start_at(public_url: &str, nodes: usize, options: ServerOptions) -> Cluster {
        Cluster::start_each(public_url, vec![options; nodes]).await
    }

    /// Starts a node with each of these options.
    pub async fn start_each(public_url: &str, nodes: Vec<ServerOptions>) -> Cluster {
        let api_key = unique_hex();
        let master_key = unique_hex() + &unique_hex();
        let mut cluster = Cluster {
            nodes: Vec::new(),
            database: OwnPostgres::with_fsync(),
            api_key,
        };
        for (options, number) in nodes.into_iter().zip(1..) {
            let options = options
                .api_key(&cluster.api_key)
                .env("SLUICE_MASTER_KEY", &master_key)
                .args(["--public-url", public_url]);
            let node = cluster.start_node(number, options).await;
            cluster.nodes.push(node);
        }
        cluster
    }

    async fn start_node(&self, number: usize, options: ServerOptions) -> Node {
        let (to_database, url) = TcpProxy::before_database(self.database.url());
        let (listen, from_nodes) = listener_behind_a_proxy();
        let name = format!("n{number}");
        let options = options
            .postgres(&url)
            .args(["--node-name", &name])
            .args(["--cluster-listen", &listen])
            .args(["--cluster-address", &from_nodes.address()]);
        Node {
            server: Server::start(options).await,
            name,
            to_database,
            from_nodes,
        }
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn nodes_mut(&mut self) -> &mut [Node] {
        &mut self.nodes
    }

    /// The PostgreSQL of the nodes, without a proxy.
    pub fn database(&self) -> &OwnPostgres {
        &self.database
    }

    /// The key of the first user, who is the operator.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// Clients that act as the operator, one for each node.
    pub fn apis(&self) -> Vec<Api> {
        self.nodes.iter().map(|node| node.api()).collect()
    }

    /// Moves all nodes to another database, as an address that follows the primary does.
    pub fn move_to(&mut self, database: OwnPostgres) {
        for node in &self.nodes {
            node.to_database.lead_to(database.address());
        }
        self.database = database;
    }
}

/// An address for a node to listen on, and a proxy in front of it. The port is free, as far as can be known.
fn listener_behind_a_proxy() -> (String, TcpProxy) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound").to_string();
    let proxy = TcpProxy::before(&address);
    (address, proxy)
}

impl Node {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Cuts the node off from the database and from other nodes. Clients still reach it.
    pub fn cut(&self) {
        self.to_database.cut();
        self.from_nodes.cut();
    }

    pub fn heal(&self) {
        self.to_database.heal();
        self.from_nodes.heal();
    }

    /// Its connection to the database.
    pub fn to_database(&self) -> &TcpProxy {
        &self.to_database
    }

    /// The connections of other nodes to it.
    pub fn from_nodes(&self) -> &TcpProxy {
        &self.from_nodes
    }
}

impl Deref for Node {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl DerefMut for Node {
    fn deref_mut(&mut self) -> &mut Server {
        &mut self.server
    }
}
