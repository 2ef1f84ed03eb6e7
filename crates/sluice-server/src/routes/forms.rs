//! Options and dynamic props of components, for forms. These paths are extensions of Sluice. Their responses have no envelope.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{AskOptions, AskProps, Choice, DynamicProps, OptionsPage, PropsAnswer};
use sluice_app::{App, DeclaredProps, Draft, OptionsAnswer, OptionsQuestion};

use crate::{auth::AuthUser, error::ApiError, json_body::JsonBody, openapi::ApiErrors, reply};

/// The options of a prop
///
/// Runs the options method of the prop with the current values. An error of the component is part of the response.
#[utoipa::path(post, path = "/components/configure", tag = "components", operation_id = "configureComponent",
    extensions(("x-sluice-extension" = json!(true))), request_body = AskOptions,
    responses((status = 200, description = "A page of options, or the errors of the component", body = OptionsPage), ApiErrors))]
pub(crate) async fn options(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    JsonBody { parameters, .. }: JsonBody<AskOptions>,
) -> Result<Response, ApiError> {
    let AskOptions {
        id,
        prop_name,
        configured_props,
        dynamic_props_id,
        source_id,
        page,
        prev_context,
        query,
    } = parameters;
    let draft = Draft {
        component: required(id, "id")?,
        configured_props: configured_props.unwrap_or_default(),
        dynamic_props_id,
        source_id,
    };
    let question = OptionsQuestion {
        prop: required(prop_name, "prop_name")?,
        page: page.unwrap_or_default(),
        prev_context,
        query,
    };
    let OptionsAnswer {
        options,
        string_options,
        context,
        errors,
        observations,
    } = app.forms.options(&user.id, draft, question).await?;
    let on_the_wire = |sluice_app::Choice { label, value }| Choice { label, value };
    Ok(reply::bare(&OptionsPage {
        options: options.map(|options| options.into_iter().map(on_the_wire).collect()),
        string_options,
        context,
        errors,
        observations,
    }))
}

/// The props of a component that has values for some of them
///
/// Runs `additionalProps` of the component. An error of the component is part of the response.
#[utoipa::path(post, path = "/components/props", tag = "components", operation_id = "reloadComponentProps",
    extensions(("x-sluice-extension" = json!(true))), request_body = AskProps,
    responses((status = 200, description = "The props, or the errors of the component", body = PropsAnswer), ApiErrors))]
pub(crate) async fn props(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    JsonBody { parameters, .. }: JsonBody<AskProps>,
) -> Result<Response, ApiError> {
    let AskProps {
        id,
        configured_props,
        dynamic_props_id,
        source_id,
    } = parameters;
    let draft = Draft {
        component: required(id, "id")?,
        configured_props: configured_props.unwrap_or_default(),
        dynamic_props_id,
        source_id,
    };
    let DeclaredProps {
        props,
        errors,
        observations,
    } = app.forms.dynamic_props(&user.id, draft).await?;
    Ok(reply::bare(&PropsAnswer {
        dynamic_props: props.map(|(id, configurable_props)| DynamicProps {
            id,
            configurable_props,
        }),
        errors,
        observations,
    }))
}

fn required(field: Option<String>, name: &str) -> Result<String, ApiError> {
    field.ok_or_else(|| ApiError::BadRequest(format!("{name} is required")))
}
