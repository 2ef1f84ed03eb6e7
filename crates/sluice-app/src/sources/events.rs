//! Running a source manually, and deleting its events and logs.

use serde_json::value::RawValue;
use sluice_engine::EngineError;
use sluice_model::{InvocationId, SourceId, UserId};
use sluice_store::{events, logs};

use super::{requests::EventRange, service::Sources};
use crate::lookup;

impl Sources {
    /// Runs a source with an event of the caller.
    pub async fn run(
        &self,
        user: &UserId,
        id: &SourceId,
        event: Box<RawValue>,
    ) -> Result<InvocationId, EngineError> {
        let source = lookup::source(&self.infra.store, user, id).await?;
        if !source.active {
            return Err(EngineError::Conflict(
                "the source is inactive: activate it to run it".to_owned(),
            ));
        }
        self.accept.run(user, &source.id, event).await
    }

    pub async fn delete_events(
        &self,
        user: &UserId,
        id: &SourceId,
        range: EventRange,
    ) -> Result<(), EngineError> {
        let source = lookup::source(&self.infra.store, user, id).await?;
        let EventRange {
            start,
            end,
            channel,
        } = range;
        let deleted = self
            .infra
            .store
            .write(move |c| events::delete_range(c, &source.id, &channel, start, end));
        deleted.await?;
        Ok(())
    }

    /// Deletes log lines from `start` to `end`, both included. A missing end is open.
    pub async fn delete_logs(
        &self,
        user: &UserId,
        id: &SourceId,
        start: Option<i64>,
        end: Option<i64>,
    ) -> Result<(), EngineError> {
        let source = lookup::source(&self.infra.store, user, id).await?;
        let deleted = self
            .infra
            .store
            .write(move |c| logs::delete_range(c, &source.id, start, end));
        deleted.await?;
        Ok(())
    }
}
