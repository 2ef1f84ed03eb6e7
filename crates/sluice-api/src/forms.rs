//! What a form asks of a component while somebody fills it in.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sluice_model::{DynamicPropsId, PropDef};
use utoipa::ToSchema;

/// Body of `POST /components/configure`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct AskOptions {
    /// Id or key of a component: one's own, or one of the registry.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub id: Option<String>,
    /// The prop whose options are asked for.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub prop_name: Option<String>,
    /// The values chosen so far.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
    /// What `POST /components/props` answered last.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub dynamic_props_id: Option<String>,
    /// The source whose values are being changed: it supplies secrets that are sent back masked.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub source_id: Option<String>,
    /// From 0.
    #[schema(default = 0)]
    pub page: Option<u32>,
    /// The `context` that came with the page before.
    #[schema(value_type = Option<Value>)]
    pub prev_context: Option<Value>,
    /// What to search for, where the prop has `useQuery`.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub query: Option<String>,
}

/// One page of options: in `options`, or in `stringOptions` when all of them are texts. Both are null when the component
/// failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OptionsPage {
    pub options: Option<Vec<Choice>>,
    pub string_options: Option<Vec<String>>,
    /// To be sent as `prev_context` for the next page.
    #[schema(value_type = Value)]
    pub context: Value,
    /// What the component threw: each is an object in JSON text, with `name`, `message` and `stack`.
    pub errors: Vec<String>,
    /// What it logged.
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
    /// Id or key of a component: one's own, or one of the registry.
    #[serde(default, deserialize_with = "crate::text::optional")]
    #[schema(required = true, value_type = String)]
    pub id: Option<String>,
    /// The values chosen so far.
    #[schema(value_type = Option<Object>)]
    pub configured_props: Option<Map<String, Value>>,
    /// What this answered last.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub dynamic_props_id: Option<String>,
    /// The source whose values are being changed: it supplies secrets that are sent back masked.
    #[serde(default, deserialize_with = "crate::text::optional")]
    pub source_id: Option<String>,
}

/// The props of a component for the values chosen so far; null when the component failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PropsAnswer {
    pub dynamic_props: Option<DynamicProps>,
    /// What the component threw: each is an object in JSON text, with `name` and `message`.
    pub errors: Vec<String>,
    /// What it logged.
    #[schema(value_type = Vec<Value>)]
    pub observations: Vec<Value>,
}

/// What a component's `additionalProps` declared, kept for a week under its id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DynamicProps {
    #[schema(value_type = String, example = "dyp_6xUyVgQ")]
    pub id: DynamicPropsId,
    /// All props, those of the code among them.
    #[schema(value_type = Vec<Value>)]
    pub configurable_props: Vec<PropDef>,
}
