//! Finding the files of a component.

use std::collections::BTreeMap;

use sluice_api::ImportComponent;
use sluice_code::{LinkOptions, LocalFiles, Location, link};
use sluice_model::CodeError;

use super::recording::RecordedFiles;

/// Maximum code size of a component and of a batch, far below the limit of the server.
pub(super) const MAX_BYTES: usize = 4 << 20;

/// A component with the texts of its files, by path.
pub(super) struct LinkedComponent {
    pub(super) component: ImportComponent,
    pub(super) texts: BTreeMap<String, String>,
}

/// Reads the component in a file of the tree, with the files that it imports.
pub(super) async fn link_component(files: LocalFiles, path: String) -> LinkedComponent {
    let recorded = RecordedFiles::new(&files);
    let entry = Location::new(path.as_str());
    let options = LinkOptions {
        manifests: true,
        ..LinkOptions::default()
    };
    let linked = link(&entry, recorded.clone(), options).await;
    let (texts, errors) = match linked {
        Ok(tree) => {
            let files = tree.to_files();
            let texts = files.all().map(|file| {
                let text = file.text.to_string();
                (file.link.location.clone(), text)
            });
            within_limit(texts.chain(recorded.manifests()).collect())
        }
        Err(errors) => {
            let errors = errors.into_iter().map(|error| error.relative_to(&path));
            (BTreeMap::new(), errors.collect())
        }
    };
    LinkedComponent {
        component: ImportComponent {
            path,
            errors,
            files: recorded.hashes(),
        },
        texts,
    }
}

fn within_limit(texts: BTreeMap<String, String>) -> (BTreeMap<String, String>, Vec<CodeError>) {
    let bytes: usize = texts.values().map(String::len).sum();
    if bytes <= MAX_BYTES {
        return (texts, Vec::new());
    }
    let message = format!("too large: {bytes} bytes");
    (BTreeMap::new(), vec![CodeError::without_position(message)])
}
