//! Files of multipart requests. They are kept in the store and written to the component's folder before the request runs.

use std::{path::Path, sync::Arc};

use sluice_model::EmitterId;
use sluice_runtime::TmpFolder;
use sluice_store::{Store, StoreError, uploads};

use crate::work::Work;

/// Placeholder in a stored event for a folder that is known only when it runs: `$tmp:<upload id>/<file name>`.
pub(crate) const PLACEHOLDER: &str = "$tmp:";

#[derive(Debug, thiserror::Error)]
pub(crate) enum UploadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("an uploaded file could not be written: {0}")]
    Disk(#[from] std::io::Error),
}

/// Writes the files of `work` to `folder` and replaces the placeholders in its event.
pub(crate) async fn write_uploads(
    store: Store,
    emitter: EmitterId,
    mut work: Work,
    folder: TmpFolder,
) -> Result<Work, (Work, UploadError)> {
    match write_files(&store, emitter, &work, &folder).await {
        Ok(event) => {
            work.event = event;
            Ok(work)
        }
        Err(error) => Err((work, error)),
    }
}

async fn write_files(
    store: &Store,
    emitter: EmitterId,
    work: &Work,
    folder: &TmpFolder,
) -> Result<Arc<str>, UploadError> {
    let id = work.id;
    let files = store
        .read(move |c| uploads::of_invocation(c, &emitter, &id))
        .await?;
    let mut event = work.event.to_string();
    for file in files {
        let path = Path::new(&file.id).join(safe_name(&file.filename));
        folder.write(path, file.content).await?;
        let visible = folder.visible().join(&file.id);
        let visible = serde_json::to_string(&visible.to_string_lossy()).unwrap_or_default();
        event = event.replace(
            &format!("{PLACEHOLDER}{}", file.id),
            visible.trim_matches('"'),
        );
    }
    Ok(Arc::from(event))
}

/// A client's file name without separators, dot names and excess length.
fn safe_name(filename: &str) -> String {
    let name: String = filename
        .chars()
        .map(|c| {
            if c == '/' || c == '\\' || c.is_control() {
                '_'
            } else {
                c
            }
        })
        .take(120)
        .collect();
    match name.as_str() {
        "" | "." | ".." => "file".to_owned(),
        _ => name,
    }
}
