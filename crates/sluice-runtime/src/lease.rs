//! The lease of a process.

use std::{any::Any, sync::Arc};

/// Held until a process is gone, by all who share it.
pub type Lease = Arc<dyn Any + Send + Sync>;
