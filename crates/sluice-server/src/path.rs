//! The variable segments of paths. A malformed id or key gets the same answer as an unknown one.

use axum::extract::{FromRequestParts, MatchedPath, Path};
use http::request::Parts;
use sluice_model::{
    AccountId, ApiKeyId, ConnectionId, DeliveryId, EventId, ImportId, InvocationId, SavedFilterId,
    SessionId, SourceId, UserId, WebhookId, WorkflowId,
};

use crate::error::ApiError;

/// The id of a source.
pub(crate) struct SourcePath(pub(crate) SourceId);

/// The id or the slug of a source, free of NUL characters.
pub(crate) struct SourceNamePath(pub(crate) String);

/// The id or the key of a component, free of NUL characters.
pub(crate) struct ComponentPath(pub(crate) String);

/// The name of a data store, free of NUL characters.
pub(crate) struct DataStorePath(pub(crate) String);

/// The id of an account.
pub(crate) struct AccountPath(pub(crate) AccountId);

/// The id of a connection.
pub(crate) struct ConnectionPath(pub(crate) ConnectionId);

/// The id of an import.
pub(crate) struct ImportPath(pub(crate) ImportId);

/// The id of a user.
pub(crate) struct UserPath(pub(crate) UserId);

/// The id of a named API key.
pub(crate) struct ApiKeyPath(pub(crate) ApiKeyId);

/// The id of a session.
pub(crate) struct SessionPath(pub(crate) SessionId);

/// The id of a saved filter.
pub(crate) struct SavedFilterPath(pub(crate) SavedFilterId);

/// The id of a webhook.
pub(crate) struct WebhookPath(pub(crate) WebhookId);

/// The id of a workflow.
pub(crate) struct WorkflowPath(pub(crate) WorkflowId);

/// The id of a delivery.
pub(crate) struct DeliveryPath(pub(crate) DeliveryId);

/// An id in a trace, free of NUL characters.
pub(crate) struct TracePath(pub(crate) String);

/// The id or the slug of an app, free of NUL characters.
pub(crate) struct AppPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for AccountPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(AccountId::parse);
        id.map(AccountPath).ok_or(ApiError::NotFound("account"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ConnectionPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(ConnectionId::parse);
        id.map(ConnectionPath)
            .ok_or(ApiError::NotFound("connection"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ImportPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(ImportId::parse);
        id.map(ImportPath).ok_or(ApiError::NotFound("import"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for UserPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(UserId::parse);
        id.map(UserPath).ok_or(ApiError::NotFound("user"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ApiKeyPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(ApiKeyId::parse);
        id.map(ApiKeyPath).ok_or(ApiError::NotFound("key"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SessionPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(SessionId::parse);
        id.map(SessionPath).ok_or(ApiError::NotFound("session"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SavedFilterPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(SavedFilterId::parse);
        id.map(SavedFilterPath).ok_or(ApiError::NotFound("filter"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WebhookPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(WebhookId::parse);
        id.map(WebhookPath).ok_or(ApiError::NotFound("webhook"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for DeliveryPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(DeliveryId::parse);
        id.map(DeliveryPath).ok_or(ApiError::NotFound("delivery"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TracePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        text.filter(|text| !text.contains('\0'))
            .map(TracePath)
            .ok_or(ApiError::NotFound("id"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AppPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        text.filter(|text| !text.contains('\0'))
            .map(AppPath)
            .ok_or(ApiError::NotFound("app"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SourcePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(SourceId::parse);
        id.map(SourcePath).ok_or(ApiError::NotFound("source"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WorkflowPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(WorkflowId::parse);
        id.map(WorkflowPath).ok_or(ApiError::NotFound("workflow"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ComponentPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        text.filter(|text| !text.contains('\0'))
            .map(ComponentPath)
            .ok_or(ApiError::NotFound("component"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for DataStorePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        text.filter(|text| !text.contains('\0'))
            .map(DataStorePath)
            .ok_or(ApiError::NotFound("data store"))
    }
}

/// The id or the slug of a workflow, free of NUL characters.
pub(crate) struct WorkflowNamePath(pub(crate) String);

/// A workflow, and the id of a run.
pub(crate) struct RunPath(pub(crate) String, pub(crate) InvocationId);

/// The name of a tool, free of NUL characters.
pub(crate) struct ToolPath(pub(crate) String);

/// The id of a run of an action.
pub(crate) struct ActionRunPath(pub(crate) InvocationId);

/// A workflow, and the number of a version.
pub(crate) struct WorkflowVersionPath(pub(crate) String, pub(crate) u32);

/// A source, and the number of a version.
pub(crate) struct SourceVersionPath(pub(crate) String, pub(crate) u32);

/// A source or workflow, and the name of a saved event, free of NUL characters.
pub(crate) struct SavedEventPath(pub(crate) String, pub(crate) String);

/// A source, and the id of an event.
pub(crate) struct SourceEventPath(pub(crate) SourceId, pub(crate) EventId);

/// A workflow, and the id of an event.
pub(crate) struct WorkflowEventPath(pub(crate) String, pub(crate) EventId);

impl<S: Send + Sync> FromRequestParts<S> for SourceNamePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        text.filter(|text| !text.contains('\0'))
            .map(SourceNamePath)
            .ok_or(ApiError::NotFound("source"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WorkflowNamePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        text.or_else(|| fixed_segment(parts))
            .filter(|text| !text.contains('\0'))
            .map(WorkflowNamePath)
            .ok_or(ApiError::NotFound("workflow"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for RunPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let (workflow, run) = below_workflow(parts, state).await?;
        let run = InvocationId::parse(&run).ok_or(ApiError::NotFound("run"))?;
        Ok(RunPath(workflow, run))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ToolPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        text.filter(|text| !text.contains('\0'))
            .map(ToolPath)
            .ok_or(ApiError::NotFound("tool"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ActionRunPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let text = segment(parts, state).await;
        let id = text.as_deref().and_then(InvocationId::parse);
        id.map(ActionRunPath).ok_or(ApiError::NotFound("run"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WorkflowVersionPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let (workflow, number) = below_workflow(parts, state).await?;
        let number = number.parse().map_err(|_| ApiError::NotFound("version"))?;
        Ok(WorkflowVersionPath(workflow, number))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SourceVersionPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let segments = two_segments(parts, state).await;
        let (source, number) = segments
            .filter(|(source, _)| !source.contains('\0'))
            .ok_or(ApiError::NotFound("source"))?;
        let number = number.parse().map_err(|_| ApiError::NotFound("version"))?;
        Ok(SourceVersionPath(source, number))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SavedEventPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let segments = two_segments(parts, state).await;
        segments
            .filter(|(emitter, name)| !emitter.contains('\0') && !name.contains('\0'))
            .map(|(emitter, name)| SavedEventPath(emitter, name))
            .ok_or(ApiError::NotFound("saved event"))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for SourceEventPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let segments = two_segments(parts, state).await;
        let (source, event) = segments.ok_or(ApiError::NotFound("source"))?;
        let source = SourceId::parse(&source).ok_or(ApiError::NotFound("source"))?;
        let event = EventId::parse(&event).ok_or(ApiError::NotFound("event"))?;
        Ok(SourceEventPath(source, event))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WorkflowEventPath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let (workflow, event) = below_workflow(parts, state).await?;
        let event = EventId::parse(&event).ok_or(ApiError::NotFound("event"))?;
        Ok(WorkflowEventPath(workflow, event))
    }
}

/// A workflow and the variable segment below it.
async fn below_workflow<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
) -> Result<(String, String), ApiError> {
    two_segments(parts, state)
        .await
        .filter(|(workflow, _)| !workflow.contains('\0'))
        .ok_or(ApiError::NotFound("workflow"))
}

async fn two_segments<S: Send + Sync>(parts: &mut Parts, state: &S) -> Option<(String, String)> {
    let segments = Path::<(String, String)>::from_request_parts(parts, state).await;
    segments.ok().map(|Path(segments)| segments)
}

/// The decoded segment; none if it is not UTF-8.
/// The last segment of a path without variables: a workflow may have the slug `test`.
fn fixed_segment(parts: &Parts) -> Option<String> {
    let path = parts.extensions.get::<MatchedPath>()?.as_str();
    let is_fixed = !path.contains('{');
    let (_, last) = path.rsplit_once('/').filter(|_| is_fixed)?;
    Some(last.to_owned())
}

async fn segment<S: Send + Sync>(parts: &mut Parts, state: &S) -> Option<String> {
    let segment = Path::<String>::from_request_parts(parts, state).await;
    segment.ok().map(|Path(text)| text)
}
