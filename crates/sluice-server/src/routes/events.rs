//! The events that a source emitted: read the newest, delete any.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{DeleteEventsQuery, EventSummary, EventsQuery, FieldQuery, List, PageQuery};
use sluice_app::{App, EventRange};
use sluice_infra::Infra;
use sluice_model::EventId;
use sluice_store::{events::ChannelFilter, routes::channel};

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::SourcePath,
    query::Query,
    reply,
    routes::{
        event_list::{self, Rows, Wanted},
        event_search::parse_search,
        summary::Detail,
    },
};

/// The newest events of a source
///
/// Never more than the newest 100, however the pages are cut, and `total_count` counts all that are kept; unless `q`, `since` or
/// `until` is given, which search all that is kept, and `total_count` counts what was found.
#[utoipa::path(get, path = "/sources/{id}/event_summaries", tag = "events", operation_id = "listEventSummaries",
    params(("id" = String, Path), PageQuery, EventsQuery, FieldQuery),
    responses((status = 200, body = List<EventSummary>), ApiErrors))]
pub(crate) async fn summaries(
    AuthUser(user): AuthUser,
    State(infra): State<Infra>,
    SourcePath(id): SourcePath,
    Query(page): Query<PageQuery>,
    Query(query): Query<EventsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let wanted = Wanted {
        page: PageRequest::parse(&page, EventId::parse)?,
        search: parse_search(&query)?,
        detail: parse_expand(query.expand.as_deref())?,
        rows: Rows::parse(query.event_name)?,
    };
    let (total, summaries) = event_list::read(&infra, &user.id, &id, wanted).await?;
    let list = page::list(total, summaries, |summary| summary.id.to_string());
    Ok(reply::many(list, &FieldSelection::new(&fields)))
}

/// Delete events of a source
///
/// Without bounds all of them, with one bound those from it to the end, with both the range; bounds are included.
#[utoipa::path(delete, path = "/sources/{id}/events", tag = "events", operation_id = "deleteEvents",
    params(("id" = String, Path), DeleteEventsQuery),
    responses((status = 202, description = "The events will be deleted"), ApiErrors))]
pub(crate) async fn delete(
    AuthUser(user): AuthUser,
    State(app): State<Arc<App>>,
    SourcePath(id): SourcePath,
    Query(query): Query<DeleteEventsQuery>,
) -> Result<StatusCode, ApiError> {
    let start = parse_bound("start_id", query.start_id.as_deref())?;
    let end = parse_bound("end_id", query.end_id.as_deref())?;
    match Rows::parse(query.event_name)? {
        Rows::Events(channel) => {
            must_be_in_order(start, end)?;
            let range = EventRange {
                start,
                end,
                channel,
            };
            app.sources.delete_events(&user.id, &id, range).await?;
        }
        Rows::Logs => {
            let (start, end) = (start.map(|id| id.seq), end.map(|id| id.seq));
            must_be_in_order(start, end)?;
            app.sources.delete_logs(&user.id, &id, start, end).await?;
        }
    }
    Ok(StatusCode::ACCEPTED)
}

pub(super) fn parse_expand(expand: Option<&str>) -> Result<Detail, ApiError> {
    match expand {
        None => Ok(Detail::Preview),
        Some("event") => Ok(Detail::Whole),
        Some(_) => Err(ApiError::bad_request("expand must be \"event\"")),
    }
}

pub(super) fn must_be_in_order<T: Ord>(start: Option<T>, end: Option<T>) -> Result<(), ApiError> {
    if start.zip(end).is_some_and(|(start, end)| start > end) {
        return Err(ApiError::bad_request(
            "start_id must not be newer than end_id",
        ));
    }
    Ok(())
}

pub(super) fn parse_bound(name: &str, text: Option<&str>) -> Result<Option<EventId>, ApiError> {
    let parse = |text| {
        EventId::parse(text)
            .ok_or_else(|| ApiError::BadRequest(format!("{name} is not an event id")))
    };
    text.map(parse).transpose()
}

pub(super) fn channel_filter(event_name: Option<String>) -> Result<ChannelFilter, ApiError> {
    match event_name {
        None => Ok(ChannelFilter::AllButSystem),
        Some(name) if name.contains('\0') => Err(ApiError::bad_request(
            "event_name must not contain NUL characters",
        )),
        Some(name) => Ok(ChannelFilter::One(channel(&name).to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_channel_has_two_names() {
        let filter = |name: &str| channel_filter(Some(name.to_owned())).unwrap();
        assert_eq!(filter("default"), ChannelFilter::One(String::new()));
        assert_eq!(filter(""), ChannelFilter::One(String::new()));
        assert_eq!(filter("$logs"), ChannelFilter::One("$logs".to_owned()));
        assert_eq!(channel_filter(None).unwrap(), ChannelFilter::AllButSystem);
        assert!(channel_filter(Some("\0".to_owned())).is_err());
    }
}
