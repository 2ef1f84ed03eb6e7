//! Values that travel to and from a database, borrowed both ways.
//!
//! The same enum carries parameters and columns, so each driver translates it once in each
//! direction and the rest of the crate knows neither database's types.

use sluice_model::{
    AccountId, ApiKeyId, AppId, AuditEntryId, ComponentId, ComponentKind, ConnectionId, DeliveryId,
    DeploymentId, DynamicPropsId, EmitId, EmitterId, EndpointKey, EventId, ImportId, InvocationId,
    SavedFilterId, Scopes, SessionId, SourceId, SubscriptionId, TraceContext, UserId, WebhookId,
    WorkflowId,
};

use crate::error::{Result, StoreError};

/// One parameter or one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    Null,
    Int(i64),
    /// BOOLEAN on PostgreSQL, INTEGER 0 or 1 on SQLite.
    Bool(bool),
    Text(&'a str),
    Blob(&'a [u8]),
}

impl Value<'_> {
    /// The size of a text or a blob, and about that of others.
    pub(crate) fn size(&self) -> usize {
        match self {
            Value::Null | Value::Int(_) | Value::Bool(_) => 8,
            Value::Text(text) => text.len(),
            Value::Blob(bytes) => bytes.len(),
        }
    }
}

/// Builds the parameter list of a statement from anything that converts into [`Value`].
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => {
        &[$($crate::Value::from($value)),*]
    };
}

/// PostgreSQL has no NUL in text; SQLite would take it. Refusing it for both keeps them alike.
pub(crate) fn reject_nul(params: &[Value<'_>]) -> Result<()> {
    for param in params {
        if let Value::Text(text) = param
            && text.as_bytes().contains(&0)
        {
            return Err(StoreError::Invalid("text with a NUL character".to_owned()));
        }
    }
    Ok(())
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<u32> for Value<'_> {
    fn from(value: u32) -> Self {
        Value::Int(i64::from(value))
    }
}

/// Counts beyond `i64::MAX` do not occur; as a limit they mean "no limit".
impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Text(value)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Value::Text(value)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Value::Blob(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// Reads one column. Implemented for owned types only: a row lives as long as its callback.
pub trait FromValue: Sized {
    /// `None` when the column holds something else.
    fn from_value(value: Value<'_>) -> Option<Self>;
}

impl FromValue for i64 {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Int(number) => Some(number),
            Value::Null | Value::Bool(_) | Value::Text(_) | Value::Blob(_) => None,
        }
    }
}

impl FromValue for u64 {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl FromValue for u32 {
    fn from_value(value: Value<'_>) -> Option<Self> {
        i64::from_value(value).and_then(|number| number.try_into().ok())
    }
}

impl FromValue for bool {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Bool(flag) => Some(flag),
            Value::Int(0) => Some(false),
            Value::Int(1) => Some(true),
            Value::Int(_) | Value::Null | Value::Text(_) | Value::Blob(_) => None,
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value<'_>) -> Option<Self> {
        text(value).map(str::to_owned)
    }
}

impl FromValue for Vec<u8> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Blob(bytes) => Some(bytes.to_vec()),
            Value::Null | Value::Int(_) | Value::Bool(_) | Value::Text(_) => None,
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            present => T::from_value(present).map(Some),
        }
    }
}

/// The text of a column, or `None` when it is not text.
pub(crate) fn text(value: Value<'_>) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        Value::Null | Value::Int(_) | Value::Bool(_) | Value::Blob(_) => None,
    }
}

/// Typed ids are stored as their text and parsed when read.
macro_rules! stored_as_text {
    ($($id:ty),* $(,)?) => {$(
        impl<'a> From<&'a $id> for Value<'a> {
            fn from(id: &'a $id) -> Self {
                Value::Text(id.as_str())
            }
        }

        impl FromValue for $id {
            fn from_value(value: Value<'_>) -> Option<Self> {
                text(value).and_then(<$id>::parse)
            }
        }
    )*};
}

stored_as_text!(
    UserId,
    ApiKeyId,
    SessionId,
    AuditEntryId,
    AppId,
    AccountId,
    ConnectionId,
    ComponentId,
    DynamicPropsId,
    ImportId,
    SavedFilterId,
    EmitterId,
    SourceId,
    WorkflowId,
    DeploymentId,
    WebhookId,
    SubscriptionId,
    DeliveryId,
    InvocationId,
    EmitId,
    EndpointKey,
    TraceContext
);

/// As their words, separated by commas.
impl FromValue for Scopes {
    fn from_value(value: Value<'_>) -> Option<Self> {
        text(value).and_then(Scopes::parse)
    }
}

impl From<ComponentKind> for Value<'_> {
    fn from(kind: ComponentKind) -> Self {
        Value::Text(kind.as_str())
    }
}

impl FromValue for ComponentKind {
    fn from_value(value: Value<'_>) -> Option<Self> {
        text(value).and_then(ComponentKind::parse)
    }
}

/// As text, where an event is named without being looked up.
impl FromValue for EventId {
    fn from_value(value: Value<'_>) -> Option<Self> {
        text(value).and_then(EventId::parse)
    }
}
