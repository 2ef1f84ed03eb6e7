//! Why a stream is over.

use sluice_store::StoreError;

#[derive(Debug)]
pub enum StreamEnd {
    /// The source is deleted.
    Gone,
    /// The server is about to stop.
    Draining,
    /// The reader took so long that it missed something.
    TooSlow,
    /// The store could not be read.
    Failed(StoreError),
}

impl From<StoreError> for StreamEnd {
    fn from(error: StoreError) -> StreamEnd {
        StreamEnd::Failed(error)
    }
}
