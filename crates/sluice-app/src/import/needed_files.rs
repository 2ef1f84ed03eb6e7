//! The files that the components of some apps need, of a checkout with many.

use std::{collections::BTreeSet, io, thread};

use futures_util::{StreamExt as _, stream};

use super::{checkout::Checkout, linking::link_component};

impl Checkout {
    /// The paths of the code files of the selected apps, and of the files that they import. Samples and manifests are included.
    pub async fn needed_files(&self) -> io::Result<BTreeSet<String>> {
        let paths = self.files()?;
        let mut needed: BTreeSet<String> = paths.iter().cloned().collect();
        let concurrency = 2 * thread::available_parallelism().map_or(1, usize::from);
        let linking = paths
            .into_iter()
            .map(|path| link_component(self.files.clone(), path));
        let mut linked = stream::iter(linking).buffer_unordered(concurrency);
        while let Some(component) = linked.next().await {
            let files = component.files.into_iter();
            let existing = files.filter(|(_, hash)| !hash.is_empty());
            needed.extend(existing.map(|(path, _)| path));
        }
        Ok(needed)
    }
}
