//! A checkout in a folder of this machine: its root, its apps, and the files that they need.

use std::{collections::BTreeSet, io, path::Path, thread};

use futures_util::{StreamExt as _, stream};
use sluice_code::LocalFiles;

use super::{
    checkout::{Checkout, CheckoutError},
    file_cache::FileCache,
    linking::link_component,
};

pub struct LocalCheckout(Checkout<LocalFiles>);

impl LocalCheckout {
    /// The checkout in a folder: one of apps, one with a folder `components`, or a single app. No names of apps mean all.
    pub fn at(folder: &Path, apps: &[String]) -> Result<LocalCheckout, CheckoutError> {
        Checkout::at(folder, apps).map(LocalCheckout)
    }

    /// The folder that contains the folders of apps.
    pub fn root(&self) -> &Path {
        self.0.root()
    }

    /// The selected apps. `None` for all.
    pub fn apps(&self) -> Option<&BTreeSet<String>> {
        self.0.apps()
    }

    /// The paths of the code files of the selected apps, and of the files that they import. Samples and manifests are included.
    pub async fn needed_files(&self) -> io::Result<BTreeSet<String>> {
        let paths = self.0.files()?;
        let mut needed: BTreeSet<String> = paths.iter().cloned().collect();
        let concurrency = 2 * thread::available_parallelism().map_or(1, usize::from);
        let cache = FileCache::default();
        let linking = paths
            .into_iter()
            .map(|path| link_component(self.0.files.clone(), cache.clone(), path));
        let mut linked = stream::iter(linking).buffer_unordered(concurrency);
        while let Some(component) = linked.next().await {
            let files = component.files.into_iter();
            let existing = files.filter(|(_, hash)| !hash.is_empty());
            needed.extend(existing.map(|(path, _)| path));
        }
        Ok(needed)
    }
}
