//! Counts of events, errors and invocations over time, and the overview of an account.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{
    ActiveEmitter, Activity, ActivityQuery, ActivityStep, Data, DeliveryTally, EmitterActivity,
    EmitterKind, EmitterState, EmittersQuery, ExpandEmittersQuery, FieldQuery, Overview,
    ServerTally, Tally, WebhookTally,
};
use sluice_app::{App, Chart, EmitterSelection, MOST_HOURS, ResourceUsage, Span, Step};
use sluice_model::EmitterId;
use sluice_store::activity::Counts;

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    query::Query,
    reply,
    routes::{text_parameters::search_text, webhook_health},
};

const DEFAULT_HOURS: u32 = 24;

/// Activity over time
///
/// Of the whole account, or of one source or workflow.
#[utoipa::path(get, path = "/users/me/activity", tag = "activity", operation_id = "getActivity",
    params(ActivityQuery, FieldQuery), extensions(("x-sluice-extension" = json!(true))),
    responses((status = 200, description = "The counts of each hour or day", body = Data<Activity>), ApiErrors))]
pub(crate) async fn get(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(query): Query<ActivityQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let ActivityQuery {
        hours,
        step,
        emitter_id,
    } = query;
    let span = Span {
        hours: parse_hours(hours.as_deref())?,
        step: match step.unwrap_or_default() {
            ActivityStep::Hour => Step::Hour,
            ActivityStep::Day => Step::Day,
        },
    };
    let emitter = emitter_id
        .map(|id| EmitterId::parse(&id).ok_or(ApiError::NotFound("source or workflow")))
        .transpose()?;
    let chart = app.activity.chart(&user.id, emitter, span).await?;
    Ok(reply::one(
        on_the_wire(&chart),
        &FieldSelection::new(&fields),
    ))
}

/// Overview of the account
///
/// Counts of the last 24 hours, and the emitters and webhooks that fail. Operators also see how busy the server is.
#[utoipa::path(get, path = "/users/me/overview", tag = "activity", operation_id = "getOverview", params(FieldQuery),
    extensions(("x-sluice-extension" = json!(true))), responses((status = 200, description = "The overview",
    body = Data<Overview>), ApiErrors))]
pub(crate) async fn overview(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let sluice_app::Overview {
        activity,
        sources,
        workflows,
        busiest,
        failing,
        deliveries,
        webhooks,
        failing_webhooks,
        server,
    } = app.overviews.of(&user).await?;
    let overview = Overview {
        activity: on_the_wire(&activity),
        sources: tally(sources),
        workflows: tally(workflows),
        busiest: busiest.into_iter().map(active_emitter).collect(),
        failing: failing.into_iter().map(active_emitter).collect(),
        deliveries: DeliveryTally {
            waiting: deliveries.waiting,
            failed: deliveries.failed,
        },
        webhooks: WebhookTally {
            active: webhooks.active,
            failing: webhooks.failing,
            paused: webhooks.paused,
        },
        failing_webhooks: failing_webhooks
            .into_iter()
            .map(webhook_health::failing_webhook)
            .collect(),
        server: server.map(server_tally),
    };
    Ok(reply::one(overview, &FieldSelection::new(&fields)))
}

/// The sources or workflows of a list.
pub(super) fn selection(query: EmittersQuery) -> Result<EmitterSelection, ApiError> {
    let EmittersQuery { q, state } = query;
    Ok(EmitterSelection {
        text: search_text(q)?,
        state: state.map(|state| match state {
            EmitterState::Active => sluice_app::EmitterState::Active,
            EmitterState::Inactive => sluice_app::EmitterState::Inactive,
            EmitterState::Failing => sluice_app::EmitterState::Failing,
        }),
    })
}

/// The activity of each of these, if it is requested.
pub(super) async fn expanded(
    app: &App,
    query: &ExpandEmittersQuery,
    emitters: Vec<EmitterId>,
) -> Result<Vec<Option<EmitterActivity>>, ApiError> {
    match query.expand.as_deref() {
        None => Ok(vec![None; emitters.len()]),
        Some("activity") => {
            let activities = app.activity.of_emitters(emitters).await?;
            Ok(activities
                .into_iter()
                .map(emitter_activity)
                .map(Some)
                .collect())
        }
        Some(_) => Err(ApiError::bad_request("expand must be \"activity\"")),
    }
}

fn parse_hours(text: Option<&str>) -> Result<u32, ApiError> {
    let Some(text) = text else {
        return Ok(DEFAULT_HOURS);
    };
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let hours = text.parse().ok().filter(|_| is_number);
    hours
        .filter(|hours| (1..=MOST_HOURS).contains(hours))
        .ok_or_else(|| {
            ApiError::BadRequest(format!("hours must be a number from 1 to {MOST_HOURS}"))
        })
}

fn on_the_wire(chart: &Chart) -> Activity {
    Activity {
        start_ms: chart.start_ms,
        step_ms: chart.step_ms,
        events: each(&chart.points, |point| point.events),
        errors: each(&chart.points, |point| point.errors),
        invocations: each(&chart.points, |point| point.invocations),
        compute_ms: each(&chart.points, |point| point.compute_ms),
    }
}

fn emitter_activity(activity: sluice_app::EmitterActivity) -> EmitterActivity {
    let sluice_app::EmitterActivity {
        last_event_at,
        hours,
    } = activity;
    EmitterActivity {
        last_event_at,
        events: each(&hours, |hour| hour.events),
        errors: each(&hours, |hour| hour.errors),
        invocations: each(&hours, |hour| hour.invocations),
    }
}

fn each(points: &[Counts], number: fn(&Counts) -> u64) -> Vec<u64> {
    points.iter().map(number).collect()
}

fn tally(tally: sluice_app::Tally) -> Tally {
    let sluice_app::Tally {
        total,
        active,
        failing,
    } = tally;
    Tally {
        total,
        active,
        failing,
    }
}

fn active_emitter(emitter: sluice_app::ActiveEmitter) -> ActiveEmitter {
    ActiveEmitter {
        kind: emitter_kind(&emitter.id),
        id: emitter.id,
        name: emitter.name,
        name_slug: emitter.name_slug,
        events: emitter.events,
        errors: emitter.errors,
        last_event_at: emitter.last_event_at,
    }
}

pub(super) fn emitter_kind(id: &EmitterId) -> EmitterKind {
    match id.kind() {
        sluice_model::EmitterKind::Source(_) => EmitterKind::Source,
        sluice_model::EmitterKind::Workflow(_) => EmitterKind::Workflow,
    }
}

fn server_tally(vitals: ResourceUsage) -> ServerTally {
    let ResourceUsage {
        processes,
        processes_memory_bytes,
        memory_bytes,
        storage_bytes,
        free_bytes,
        uptime_ms,
    } = vitals;
    ServerTally {
        processes,
        processes_memory_bytes,
        memory_bytes,
        storage_bytes,
        free_bytes,
        uptime_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_default_to_a_day_and_are_at_most_31_days() {
        let hours = |text| parse_hours(text).ok();
        assert_eq!(hours(None), Some(24));
        assert_eq!(hours(Some("1")), Some(1));
        assert_eq!(hours(Some("744")), Some(744));
        for bad in ["", "0", "745", "-1", "+1", "1.5", "99999999999", "x"] {
            assert_eq!(hours(Some(bad)), None, "{bad:?}");
        }
    }
}
