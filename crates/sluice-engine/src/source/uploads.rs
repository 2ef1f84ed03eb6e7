//! Files of multipart requests: they wait in the store, and are put into the component's own folder
//! when the request is about to run.

use std::{path::PathBuf, sync::Arc};

use sluice_model::EmitterId;
use sluice_store::{Store, StoreError, uploads};

use crate::mailbox::Work;

/// Stands in a stored event for the folder that is known only when it runs: `$tmp:<upload id>/<file name>`.
pub(crate) const PLACEHOLDER: &str = "$tmp:";

#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("an uploaded file could not be written: {0}")]
    Disk(#[from] std::io::Error),
}

/// The temporary folder of a process: where it is for us, and what the component knows it as.
pub(crate) struct TmpFolder {
    pub(crate) real: PathBuf,
    pub(crate) visible: PathBuf,
}

/// Writes the files of `work` below `folder` and gives the work with the paths the component can open.
pub(crate) async fn place(
    store: Store,
    emitter: EmitterId,
    mut work: Work,
    folder: TmpFolder,
) -> Result<Work, (Work, PlaceError)> {
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
) -> Result<Arc<str>, PlaceError> {
    let id = work.id;
    let files = store
        .read(move |c| uploads::of_invocation(c, &emitter, &id))
        .await?;
    let mut event = work.event.to_string();
    for file in files {
        let own = folder.real.join(&file.id);
        tokio::fs::create_dir_all(&own).await?;
        tokio::fs::write(own.join(safe_name(&file.filename)), &file.content).await?;
        let visible = folder.visible.join(&file.id);
        let visible = serde_json::to_string(&visible.to_string_lossy()).unwrap_or_default();
        event = event.replace(
            &format!("{PLACEHOLDER}{}", file.id),
            visible.trim_matches('"'),
        );
    }
    Ok(Arc::from(event))
}

/// A client's file name as a name in a folder: no separators, not a dot name, not too long.
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
