//! A node whose lease the test controls.

use sluice_store::Store;

use crate::{boot_time, lease::Lease, membership::Cluster};

/// A node without other nodes, whose lease has run out.
pub fn without_lease(store: &Store) -> Cluster {
    let long_ago = boot_time::now_ms() - 60_000;
    Cluster::with_lease(store, Lease::granted(long_ago))
}

/// Renews the lease for the usual time.
pub fn renew(cluster: &Cluster) {
    cluster.lease().renewed(boot_time::now_ms());
}
