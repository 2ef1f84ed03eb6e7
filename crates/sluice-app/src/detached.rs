//! Operations that a client cannot cancel.

use sluice_engine::EngineError;
use sluice_infra::Shutdown;

/// Runs an operation in a task of its own. A client that disconnects does not leave it half done, and a shutdown waits
/// for it.
pub(crate) async fn run<T>(
    shutdown: &Shutdown,
    operation: impl Future<Output = Result<T, EngineError>> + Send + 'static,
) -> Result<T, EngineError>
where
    T: Send + 'static,
{
    shutdown.check()?;
    let task = shutdown.spawn(operation);
    task.await
        .map_err(|error| EngineError::Internal(error.to_string()))?
}
