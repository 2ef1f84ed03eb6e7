//! Finding the files of a component.

use std::collections::BTreeMap;

use sluice_code::{
    CodeTree, FileError, Files, Limits, LinkOptions, Linker, Location, MemoryFiles, link,
};
use sluice_model::{CodeError, code_hash};

use super::{file_cache::FileCache, recording::RecordedFiles, tree::LinkedComponent};

/// The largest code of a component.
const MAX_BYTES: usize = 4 << 20;

/// Reads the component in a file of a checkout, with the files that it imports.
pub(super) async fn link_component(
    files: impl Files + Clone,
    cache: FileCache,
    path: String,
) -> LinkedComponent {
    let recorded = RecordedFiles::new(&files, &cache);
    let limits = Limits {
        bytes: MAX_BYTES,
        ..Limits::default()
    };
    let linked = link(
        &Location::new(path.as_str()),
        recorded.clone(),
        options(limits),
    )
    .await;
    let code = own_errors(linked, &path);
    LinkedComponent::new(path, recorded.hashes(), code)
}

/// Reads the components at these paths of a tree in memory.
pub(crate) async fn link_texts(
    texts: &BTreeMap<String, String>,
    paths: impl IntoIterator<Item = String>,
) -> Result<Vec<LinkedComponent>, FileError> {
    let limits = Limits {
        files: texts.len(),
        bytes: usize::MAX,
    };
    let linker = Linker::new(MemoryFiles::new(texts)?, options(limits));
    let mut components = Vec::new();
    for path in paths {
        let hash = texts.get(&path).map(|text| code_hash(text));
        let code = linker.link(&Location::new(path.as_str())).await;
        // Linking takes a while. Other requests run in between.
        tokio::task::yield_now().await;
        let files = BTreeMap::from([(path.clone(), hash.unwrap_or_default())]);
        let code = own_errors(code, &path);
        components.push(LinkedComponent::new(path, files, code));
    }
    Ok(components)
}

fn options(limits: Limits) -> LinkOptions {
    LinkOptions {
        limits,
        manifests: true,
        sample: true,
        ..LinkOptions::default()
    }
}

fn own_errors(
    linked: Result<CodeTree, Vec<CodeError>>,
    path: &str,
) -> Result<CodeTree, Vec<CodeError>> {
    linked.map_err(|errors| {
        let errors = errors.into_iter();
        errors.map(|error| error.relative_to(path)).collect()
    })
}
