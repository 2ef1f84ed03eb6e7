//! Serializes installs that would download the same package, so that the second finds it in the cache.

use std::collections::HashSet;

use parking_lot::Mutex;
use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct Downloads {
    under_way: Mutex<HashSet<String>>,
    done: Notify,
}

impl Downloads {
    /// Waits until no other install uses any of these packages, in any version, and locks them.
    pub(super) async fn alone_with(&self, packages: Vec<String>) -> Claim<'_> {
        loop {
            let done = self.done.notified();
            {
                let mut under_way = self.under_way.lock();
                if packages.iter().all(|package| !under_way.contains(package)) {
                    under_way.extend(packages.iter().cloned());
                    return Claim {
                        downloads: self,
                        packages,
                    };
                }
            }
            done.await;
        }
    }
}

pub(super) struct Claim<'a> {
    downloads: &'a Downloads,
    packages: Vec<String>,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        let mut under_way = self.downloads.under_way.lock();
        for package in &self.packages {
            under_way.remove(package);
        }
        self.downloads.done.notify_waiters();
    }
}
