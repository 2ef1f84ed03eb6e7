//! Starts three nodes on a throw-away PostgreSQL behind a load balancer, for a person to try. Ctrl-C ends all.
//!
//!     SLUICE_BINARY=target/release/sluice try-cluster

use std::{io, path::Path, time::Duration};

use sluice_testkit::{Balancer, Cluster, Node, ServerOptions, sluice_binary};
use tokio::time::sleep;

const NODES: usize = 3;
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
const RESTART_AFTER: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> io::Result<()> {
    let balancer = Balancer::start()?;
    let options = ServerOptions::new(sluice_binary()).public_registry();
    let options = options.arg("--drain-grace=2s");
    let mut cluster = Cluster::start_at(balancer.url(), NODES, options).await;
    for node in cluster.nodes() {
        balancer.add(node.addr());
    }
    introduce(&balancer, &cluster, &sluice_binary().canonicalize()?);
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        () = restart_ended(cluster.nodes_mut()) => Ok(()),
    }
}

fn introduce(balancer: &Balancer, cluster: &Cluster, binary: &Path) {
    let url = balancer.url();
    eprintln!("\nThree nodes behind {url}\n");
    for node in cluster.nodes() {
        eprintln!(
            "  {}   {}   process {}",
            node.name(),
            node.url(),
            node.pid()
        );
    }
    let key = cluster.api_key();
    let program = binary.display();
    let pid = cluster.nodes()[0].pid();
    eprintln!(
        "
The API key, also for the console at {url}: {key}

Try this in another terminal:

  export SLUICE_URL={url} SLUICE_API_KEY={key}
  watch {program} cluster
  kill -9 {pid}      # or -STOP and -CONT, or -TERM

A node that has ended starts again after {} seconds. Ctrl-C ends all.
",
        RESTART_AFTER.as_secs()
    );
}

/// Starts nodes again, until the program ends.
async fn restart_ended(nodes: &mut [Node]) {
    loop {
        for node in &mut *nodes {
            if !node.is_running() {
                eprintln!("{} has ended", node.name());
                sleep(RESTART_AFTER).await;
                node.restart().await;
                eprintln!("{} runs again as process {}", node.name(), node.pid());
            }
        }
        sleep(CHECK_INTERVAL).await;
    }
}
