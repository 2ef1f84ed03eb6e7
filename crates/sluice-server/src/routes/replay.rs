//! Replays stored events to the listeners of their source.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use sluice_api::{Data, FieldQuery, ReplayEvents, Replayed};
use sluice_app::{App, EventRange};
use sluice_model::EventId;

use crate::{
    actor::Author,
    error::ApiError,
    json_body::JsonBody,
    openapi::ApiErrors,
    path::SourcePath,
    reply,
    request_trace::Cause,
    routes::{
        event_list::Rows,
        event_parameters::{must_be_in_order, parse_bound},
        search_parameters::parse_times,
    },
};

/// Replay events of a source
///
/// To the current listeners, oldest first, each with a new `webhook-id`. Streams do not show them again.
#[utoipa::path(post, path = "/sources/{id}/events/replay", tag = "events", operation_id = "replayEvents",
    params(("id" = String, Path), FieldQuery), extensions(("x-sluice-extension" = json!(true))), request_body = ReplayEvents,
    responses((status = 200, description = "The number of events that were replayed", body = Data<Replayed>), ApiErrors))]
pub(crate) async fn replay(
    Author(actor): Author,
    State(app): State<Arc<App>>,
    SourcePath(id): SourcePath,
    Cause(trace): Cause,
    JsonBody { parameters, fields }: JsonBody<ReplayEvents>,
) -> Result<Response, ApiError> {
    let events = match parse(parameters)? {
        Replay::One(event) => {
            let replay = app.sources.replay_event(&actor, &id, event, trace);
            replay.await?;
            1
        }
        Replay::Range(range) => {
            let replay = app.sources.replay_events(&actor, &id, range, trace);
            replay.await?
        }
    };
    Ok(reply::one(Replayed { events }, &fields))
}

enum Replay {
    One(EventId),
    Range(EventRange),
}

fn parse(parameters: ReplayEvents) -> Result<Replay, ApiError> {
    if let Some(event) = parse_bound("event_id", parameters.event_id.as_deref())? {
        let rest = ReplayEvents {
            event_id: None,
            ..parameters
        };
        if rest != ReplayEvents::default() {
            return Err(ApiError::bad_request("give event_id or a range, not both"));
        }
        return Ok(Replay::One(event));
    }
    let Rows::Events(channel) = Rows::parse(parameters.event_name)? else {
        return Err(ApiError::bad_request(
            "event_name: log lines cannot be sent again",
        ));
    };
    let start = parse_bound("start_id", parameters.start_id.as_deref())?;
    let end = parse_bound("end_id", parameters.end_id.as_deref())?;
    must_be_in_order(start, end)?;
    let (since, until) = parse_times(parameters.since.as_deref(), parameters.until.as_deref())?;
    let since = since.map(|ms| EventId { ms, seq: 0 });
    let until = until.map(|ms| EventId { ms, seq: i64::MAX });
    Ok(Replay::Range(EventRange {
        start: start.max(since),
        end: end.into_iter().chain(until).min(),
        channel,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(parameters: ReplayEvents) -> (String, String) {
        let Ok(Replay::Range(range)) = parse(parameters) else {
            panic!("no range");
        };
        let text = |id: Option<EventId>| id.map_or_else(String::new, |id| id.to_string());
        (text(range.start), text(range.end))
    }

    #[test]
    fn ids_and_times_narrow_each_other() {
        let some = |text: &str| Some(text.to_owned());
        let both = ReplayEvents {
            start_id: some("5-1"),
            end_id: some("9-1"),
            since: some("4"),
            until: some("8"),
            ..ReplayEvents::default()
        };
        let until = format!("8-{}", i64::MAX);
        assert_eq!(range(both.clone()), ("5-1".to_owned(), until));
        let wider = ReplayEvents {
            since: some("6"),
            until: None,
            ..both
        };
        assert_eq!(range(wider), ("6-0".to_owned(), "9-1".to_owned()));
        assert_eq!(
            range(ReplayEvents::default()),
            (String::new(), String::new())
        );
    }

    #[test]
    fn one_event_excludes_a_range_and_log_lines_are_not_replayed() {
        let one = ReplayEvents {
            event_id: Some("5-1".to_owned()),
            ..ReplayEvents::default()
        };
        assert!(matches!(
            parse(one.clone()),
            Ok(Replay::One(EventId { ms: 5, seq: 1 }))
        ));
        let both = ReplayEvents {
            since: Some("1".to_owned()),
            ..one
        };
        assert!(parse(both).is_err());
        let logs = ReplayEvents {
            event_name: Some("$logs".to_owned()),
            ..ReplayEvents::default()
        };
        assert!(parse(logs).is_err());
    }
}
