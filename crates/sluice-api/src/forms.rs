//! Forms for the props of a component: options and dynamic props.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_model::{DynamicPropsId, PropDef};
use utoipa::ToSchema;

/// Body of `POST /components/configure`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct AskOptions {
    /// Id or key of your component, or of one in the registry.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub id: Option<String>,
    /// The prop whose options to return.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub prop_name: Option<String>,
    /// The current values of the form.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
    /// The id from the last response of `POST /components/props`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub dynamic_props_id: Option<String>,
    /// The source to update. It supplies the values of masked secrets.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub source_id: Option<String>,
    /// Starts at 0.
    #[schema(default = 0)]
    pub page: Option<u32>,
    /// The `context` of the previous page.
    #[schema(value_type = Option<Value>)]
    pub prev_context: Option<Value>,
    /// The search text, if the prop has `useQuery`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub query: Option<String>,
}

/// One page of options: in `options`, or in `stringOptions` when all of them are text. Both are null when the component
/// failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptionsPage {
    #[schema(required = true)]
    pub options: Option<Vec<Choice>>,
    #[schema(required = true)]
    pub string_options: Option<Vec<String>>,
    /// Sent as `prev_context` to get the next page.
    #[schema(value_type = Value)]
    pub context: Value,
    /// Errors of the component, each an object in JSON text with `name`, `message` and `stack`.
    pub errors: Vec<String>,
    /// The log of the component.
    #[schema(value_type = Vec<Value>)]
    pub observations: Vec<Value>,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Choice {
    pub label: String,
    #[schema(value_type = Value)]
    pub value: Value,
}

/// Body of `POST /components/props`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct AskProps {
    /// Id or key of your component, or of one in the registry.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub id: Option<String>,
    /// The current values of the form.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
    /// The id from the last response of this endpoint.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub dynamic_props_id: Option<String>,
    /// The source to update. It supplies the values of masked secrets.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub source_id: Option<String>,
}

/// The props of a component for the current values of a form; null when the component failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropsAnswer {
    #[schema(required = true)]
    pub dynamic_props: Option<DynamicProps>,
    /// Errors of the component, each an object in JSON text with `name` and `message`. An error of a declared prop has
    /// `prop` and `code` too.
    pub errors: Vec<String>,
    /// The log of the component.
    #[schema(value_type = Vec<Value>)]
    pub observations: Vec<Value>,
}

/// The props that a component's `additionalProps` declared. They are kept for a week under this id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DynamicProps {
    #[schema(value_type = String, example = "dyp_6xUyVgQ")]
    pub id: DynamicPropsId,
    /// All props, including those that the code declares.
    #[schema(value_type = Vec<Value>)]
    pub configurable_props: Vec<PropDef>,
}
