//! Sources: create, read, list, update, delete and run.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use serde_json::value::RawValue;
use sluice_api::{
    CreateSource, Data, DeleteSourceQuery, EmittersQuery, ExpandEmittersQuery, FieldQuery,
    IgnoreHookErrors, Invocation, List, PageQuery, Retention, RunSource, Source, TickHealth,
    UpdateSource,
};
use sluice_app::{App, CodeInput, ComponentRef, Listing, OnHookError, SourceView};
use sluice_model::{Cursor, UserId};
use sluice_store::sources;

use crate::{
    actor::Author,
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    json_body::JsonBody,
    one_line::on_one_line,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::{SourceNamePath, SourcePath},
    query::Query,
    reply,
    request_trace::Cause,
    routes::{
        activity::{expanded, selection},
        components::{code_input, parse_id},
        dates::epoch_seconds,
    },
};

/// Create a source
///
/// The response is sent after its hooks `deploy` and `activate`.
#[utoipa::path(post, path = "/sources", tag = "sources", operation_id = "createSource", params(FieldQuery),
    request_body = CreateSource,
    responses((status = 200, description = "The source, with the URLs of its endpoints", body = Data<Source>), ApiErrors))]
pub(crate) async fn create(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    JsonBody { parameters, fields }: JsonBody<CreateSource>,
) -> Result<Response, ApiError> {
    let CreateSource {
        component_id,
        component_code,
        component_files,
        component_url,
        key,
        name,
        configured_props,
        dynamic_props_id,
        retention,
    } = parameters;
    let code = code_input(component_code, component_files, component_url);
    let component = required_component(component_ref(component_id, code, key)?)?;
    let request = sluice_app::CreateSource {
        component,
        name,
        configured_props: configured_props.unwrap_or_default(),
        dynamic_props_id,
        retention: retention.map(stored).unwrap_or_default(),
    };
    let view = app.sources.create(&actor, request).await?;
    Ok(answer(view, &fields))
}

/// A source
///
/// By its id, or by its slug.
#[utoipa::path(get, path = "/sources/{id}", tag = "sources", operation_id = "getSource",
    params(("id" = String, Path), ExpandEmittersQuery, FieldQuery),
    responses((status = 200, description = "The source", body = Data<Source>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    SourceNamePath(id): SourceNamePath,
    Query(expand): Query<ExpandEmittersQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let view = app.sources.get(&user.id, &id).await?;
    let ids = vec![view.source.id.clone().into()];
    let mut source = on_the_wire(view, Some(user.id));
    source.activity = expanded(&app, &expand, ids).await?.pop().flatten();
    Ok(reply::one(source, &FieldSelection::new(&fields)))
}

/// The sources of the current user
///
/// Newest first.
#[utoipa::path(get, path = "/users/me/sources", tag = "sources", operation_id = "listSources",
    params(EmittersQuery, ExpandEmittersQuery, PageQuery, FieldQuery),
    responses((status = 200, description = "A page of sources", body = List<Source>), ApiErrors))]
pub(crate) async fn list(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(which): Query<EmittersQuery>,
    Query(expand): Query<ExpandEmittersQuery>,
    Query(page): Query<PageQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, Cursor::decode)?.into();
    let which = selection(which)?;
    let Listing { total, rows } = app.sources.list(&user.id, &which, page).await?;
    let ids = rows.iter().map(|view| view.source.id.clone().into());
    let activities = expanded(&app, &expand, ids.collect()).await?;
    // A cursor needs milliseconds, and the item in the response has only seconds.
    let page_info =
        page::list(total, rows.iter().collect(), |view| cursor_of(&view.source)).page_info;
    let data = rows
        .into_iter()
        .zip(activities)
        .map(|(view, activity)| Source {
            activity,
            ..on_the_wire(view, None)
        })
        .collect();
    let list = List { page_info, data };
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// Update a source
///
/// Its hook `deactivate` runs with the old code and props, then `activate` with the new ones.
#[utoipa::path(put, path = "/sources/{id}", tag = "sources", operation_id = "updateSource",
    params(("id" = String, Path), FieldQuery),
    request_body = UpdateSource, responses((status = 200, description = "The source", body = Data<Source>), ApiErrors))]
pub(crate) async fn update(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SourcePath(id): SourcePath,
    JsonBody { parameters, fields }: JsonBody<UpdateSource>,
) -> Result<Response, ApiError> {
    if parameters == UpdateSource::default() {
        return Err(ApiError::bad_request(
            "there is nothing to change: give one of component_id, component_code, component_url, key, name, \
             configured_props, dynamic_props_id, retention and active",
        ));
    }
    let UpdateSource {
        component_id,
        component_code,
        component_files,
        component_url,
        key,
        name,
        configured_props,
        dynamic_props_id,
        retention,
        active,
    } = parameters;
    let code = code_input(component_code, component_files, component_url);
    let request = sluice_app::UpdateSource {
        component: component_ref(component_id, code, key)?,
        name,
        configured_props,
        dynamic_props_id,
        retention: retention.map(stored),
        active: active.unwrap_or(true),
    };
    let view = app.sources.update(&actor, &id, request).await?;
    Ok(answer(view, &fields))
}

/// Delete a source, its events and its logs
///
/// Its hook `deactivate` runs first.
#[utoipa::path(delete, path = "/sources/{id}", tag = "sources", operation_id = "deleteSource",
    params(("id" = String, Path), DeleteSourceQuery),
    responses((status = 204, description = "Deleted"), ApiErrors))]
pub(crate) async fn delete(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SourcePath(id): SourcePath,
    Query(DeleteSourceQuery { ignore_hook_errors }): Query<DeleteSourceQuery>,
) -> Result<StatusCode, ApiError> {
    let on_hook_error = match ignore_hook_errors {
        IgnoreHookErrors::Yes => OnHookError::Ignore,
        IgnoreHookErrors::No => OnHookError::Refuse,
    };
    app.sources.delete(&actor, &id, on_hook_error).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Run a source now
///
/// Calls `run` with the event. The response is sent when the run is stored. Events and log lines show its outcome.
#[utoipa::path(post, path = "/sources/{id}/run", tag = "sources", operation_id = "runSource",
    params(("id" = String, Path), FieldQuery),
    request_body = RunSource, responses((status = 200, description = "The id of the run", body = Data<Invocation>), ApiErrors))]
pub(crate) async fn run(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SourcePath(id): SourcePath,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<RunSource>,
) -> Result<Response, ApiError> {
    let event = event_to_run(parameters.event.as_deref());
    let id = app.sources.run(&actor, &id, event, trace).await?;
    Ok(reply::one(Invocation { id }, &fields))
}

/// A run without an event gets an empty object, because components read fields without checking.
pub(super) fn event_to_run(event: Option<&RawValue>) -> Box<RawValue> {
    let event = event.map_or("{}", RawValue::get);
    RawValue::from_string(on_one_line(event).into_owned())
        .expect("JSON without line breaks is JSON")
}

/// The first reference that is present. A URL next to code only documents the origin of the code.
pub(super) fn component_ref(
    id: Option<String>,
    input: CodeInput,
    key: Option<String>,
) -> Result<Option<ComponentRef>, ApiError> {
    if let Some(id) = id {
        return Ok(Some(ComponentRef::Id(parse_id(&id)?)));
    }
    if input.code.is_some() || input.url.is_some() {
        return Ok(Some(ComponentRef::Code(input)));
    }
    Ok(key.map(ComponentRef::RegistryKey))
}

pub(super) fn required_component(
    component: Option<ComponentRef>,
) -> Result<ComponentRef, ApiError> {
    component.ok_or_else(|| {
        ApiError::bad_request(
            "one of component_id, component_code, component_url and key is required",
        )
    })
}

pub(super) fn answer(view: SourceView, fields: &FieldSelection) -> Response {
    let owner = view.source.user_id.clone();
    reply::one(on_the_wire(view, Some(owner)), fields)
}

fn cursor_of(source: &sources::Source) -> String {
    page::cursor(source.created_at, source.id.as_str())
}

fn on_the_wire(view: SourceView, user_id: Option<UserId>) -> Source {
    let SourceView {
        source,
        app,
        configured_props,
        next_run_at,
        ticks,
    } = view;
    Source {
        id: source.id,
        user_id,
        component_id: source.component_id,
        app,
        configured_props,
        active: source.active,
        version: source.version,
        created_at: epoch_seconds(source.created_at),
        updated_at: epoch_seconds(source.updated_at),
        name: source.name,
        name_slug: source.name_slug,
        next_run_at,
        ticks: ticks.as_ref().map(tick_health),
        retention: shown(source.retention),
        activity: None,
    }
}

fn tick_health(health: &sluice_app::TickHealth) -> TickHealth {
    TickHealth {
        last_tick_at: health.last_tick.map(|tick| tick.due_at),
        lateness_ms: health.last_tick.map(|tick| tick.lateness_ms),
        is_late: health.is_late(),
        late_last_hour: health.last_hour.late,
        late_last_day: health.last_day.late,
        skipped_last_hour: health.last_hour.skipped,
        skipped_last_day: health.last_day.skipped,
    }
}

fn stored(retention: Retention) -> sources::Retention {
    let Retention {
        max_events,
        max_age_seconds,
    } = retention;
    sources::Retention {
        max_events,
        max_age_seconds,
    }
}

fn shown(retention: sources::Retention) -> Option<Retention> {
    let sources::Retention {
        max_events,
        max_age_seconds,
    } = retention;
    (retention != sources::Retention::default()).then_some(Retention {
        max_events,
        max_age_seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(id: &str, code: &str, url: &str, key: &str) -> &'static str {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let input = code_input(some(code), None, some(url));
        match component_ref(some(id), input, some(key)) {
            Ok(Some(ComponentRef::Id(_))) => "id",
            Ok(Some(ComponentRef::Code(CodeInput { code: Some(_), .. }))) => "code",
            Ok(Some(ComponentRef::Code(CodeInput { code: None, .. }))) => "url",
            Ok(Some(ComponentRef::RegistryKey(_))) => "key",
            Ok(Some(ComponentRef::Named(_))) => "named",
            Ok(None) => "none",
            Err(_) => "error",
        }
    }

    #[test]
    fn a_run_without_an_event_gets_an_object() {
        assert_eq!(event_to_run(None).get(), "{}");
        let event = RawValue::from_string("{\"a\":\n1.0}".to_owned()).unwrap();
        assert_eq!(event_to_run(Some(&*event)).get(), "{\"a\": 1.0}");
    }

    #[test]
    fn component_id_is_preferred_then_code_then_url_then_key() {
        assert_eq!(selected("sc_a", "code", "url", "key"), "id");
        assert_eq!(selected("", "code", "url", "key"), "code");
        assert_eq!(selected("", "", "url", "key"), "url");
        assert_eq!(selected("", "", "", "key"), "key");
        assert_eq!(selected("", "", "", ""), "none");
        assert_eq!(selected("nonsense", "code", "", ""), "error");
    }
}
