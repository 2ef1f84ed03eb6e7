//! The types a prop can have.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The type of a prop's value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PropType {
    Boolean,
    Integer,
    String,
    Object,
    Any,
    /// An app, and with it the account to use.
    App,
    /// A list of values of one type.
    Array(ScalarType),
    /// An endpoint of the source.
    Http,
    /// An endpoint of the source for the webhooks of an app. The body of a request is the event.
    Apphook,
    /// A schedule on which the source runs.
    Timer,
    /// The source's key-value store.
    Db,
    /// A key-value store that the user's sources share, by its name.
    DataStore,
    /// A private folder of the process.
    Dir,
    /// A request that the component sends.
    HttpRequest,
    /// A query and its parameters.
    Sql,
    /// A text that a form shows.
    Alert,
    /// An unknown type, which accepts any value.
    Other(String),
}

/// The types that have an array form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ScalarType {
    Boolean,
    Integer,
    String,
    Object,
    Any,
}

impl PropType {
    /// Whether it triggers a source.
    pub(crate) fn is_interface(&self) -> bool {
        matches!(self, Self::Http | Self::Apphook | Self::Timer)
    }

    /// Parses the name of a type. An unknown name is accepted when it begins with `$.`.
    pub fn parse(text: &str) -> Option<PropType> {
        if let Some(element) = text.strip_suffix("[]").and_then(ScalarType::parse) {
            return Some(Self::Array(element));
        }
        Some(match text {
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "string" => Self::String,
            "object" => Self::Object,
            "any" => Self::Any,
            "app" => Self::App,
            "alert" => Self::Alert,
            "$.interface.http" => Self::Http,
            "$.interface.apphook" => Self::Apphook,
            "$.interface.timer" => Self::Timer,
            "$.service.db" => Self::Db,
            "data_store" => Self::DataStore,
            "dir" => Self::Dir,
            "http_request" => Self::HttpRequest,
            "sql" => Self::Sql,
            other if other.starts_with("$.") => Self::Other(other.to_owned()),
            _ => return None,
        })
    }

    /// Whether users give this prop no value, because the server creates it or a form only displays it.
    pub fn takes_no_value(&self) -> bool {
        match self {
            Self::Http | Self::Apphook | Self::Db | Self::Dir | Self::Alert => true,
            Self::Boolean
            | Self::Integer
            | Self::String
            | Self::Object
            | Self::Any
            | Self::App
            | Self::Array(_)
            | Self::Timer
            | Self::DataStore
            | Self::HttpRequest
            | Self::Sql
            | Self::Other(_) => false,
        }
    }

    /// Whether it has an endpoint.
    pub fn has_endpoint(&self) -> bool {
        matches!(self, Self::Http | Self::Apphook)
    }
}

impl fmt::Display for PropType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("boolean"),
            Self::Integer => f.write_str("integer"),
            Self::String => f.write_str("string"),
            Self::Object => f.write_str("object"),
            Self::Any => f.write_str("any"),
            Self::App => f.write_str("app"),
            Self::Array(element) => write!(f, "{}[]", element.as_str()),
            Self::Alert => f.write_str("alert"),
            Self::Http => f.write_str("$.interface.http"),
            Self::Apphook => f.write_str("$.interface.apphook"),
            Self::Timer => f.write_str("$.interface.timer"),
            Self::Db => f.write_str("$.service.db"),
            Self::DataStore => f.write_str("data_store"),
            Self::Dir => f.write_str("dir"),
            Self::HttpRequest => f.write_str("http_request"),
            Self::Sql => f.write_str("sql"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

impl Serialize for PropType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PropType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom(format!("unknown type {text:?}")))
    }
}

impl ScalarType {
    fn parse(text: &str) -> Option<ScalarType> {
        match text {
            "boolean" => Some(Self::Boolean),
            "integer" => Some(Self::Integer),
            "string" => Some(Self::String),
            "object" => Some(Self::Object),
            "any" => Some(Self::Any),
            _ => None,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::String => "string",
            Self::Object => "object",
            Self::Any => "any",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_parses_back_from_its_text() {
        let names = "boolean integer string object any app boolean[] integer[] string[] object[] any[] \
                     $.interface.http $.interface.timer $.service.db $.interface.apphook $.discord.channel[] alert \
                     data_store dir http_request sql";
        for name in names.split_whitespace() {
            assert_eq!(PropType::parse(name).unwrap().to_string(), name);
        }
    }

    #[test]
    fn unknown_names_without_the_dollar_are_rejected() {
        for name in ["", "foo", "String", "app[]", "string[][]", "[]", "number"] {
            assert_eq!(PropType::parse(name), None, "{name:?}");
        }
        assert_eq!(
            PropType::parse("$.x"),
            Some(PropType::Other("$.x".to_owned()))
        );
    }
}
