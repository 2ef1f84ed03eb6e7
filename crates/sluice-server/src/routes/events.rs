//! The events that a source emitted: read the newest, delete any.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::StatusCode;
use sluice_api::{DeleteEventsQuery, EventSummary, EventsQuery, FieldQuery, List, PageQuery};
use sluice_engine::{Engine, EventRange};
use sluice_model::{EventId, SourceId};
use sluice_store::{
    Conn, StoreError,
    events::{self, ChannelFilter, StoredEvent},
    sources,
};

use crate::{
    auth::AuthUser,
    error::ApiError,
    fields::FieldSelection,
    openapi::ApiErrors,
    page::{self, PageRequest},
    path::SourcePath,
    query::Query,
    reply,
    routes::summary::{Detail, summarise},
};

/// How many of the newest events the API shows.
const SHOWN: u32 = 100;

/// The newest events of a source
///
/// Never more than the newest 100, however the pages are cut; `total_count` counts all that are kept.
#[utoipa::path(get, path = "/sources/{id}/event_summaries", tag = "events", operation_id = "listEventSummaries",
    params(("id" = String, Path), PageQuery, EventsQuery, FieldQuery),
    responses((status = 200, body = List<EventSummary>), ApiErrors))]
pub(crate) async fn summaries(
    AuthUser(user): AuthUser,
    State(engine): State<Arc<Engine>>,
    SourcePath(id): SourcePath,
    Query(page): Query<PageQuery>,
    Query(EventsQuery { expand, event_name }): Query<EventsQuery>,
    Query(fields): Query<FieldQuery>,
) -> Result<Response, ApiError> {
    let page = PageRequest::parse(&page, EventId::parse)?;
    let detail = parse_expand(expand.as_deref())?;
    let channel = channel_filter(event_name)?;
    let source_id = id.clone();
    let read = engine.store().read(move |c| {
        if sources::get(c, &user.id, &source_id)?.is_none() {
            return Ok(None);
        }
        let total = events::count(c, &source_id, &channel)?;
        Ok(Some((total, shown(c, &source_id, &channel, &page)?)))
    });
    let (total, rows) = read.await?.ok_or(ApiError::NotFound("source"))?;
    let summaries: Result<Vec<_>, _> = rows
        .into_iter()
        .map(|event| summarise(&id, event, detail))
        .collect();
    let list = page::list(total, summaries?, |summary| summary.id.to_string());
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
    State(engine): State<Arc<Engine>>,
    SourcePath(id): SourcePath,
    Query(query): Query<DeleteEventsQuery>,
) -> Result<StatusCode, ApiError> {
    let range = EventRange {
        start: parse_bound("start_id", query.start_id.as_deref())?,
        end: parse_bound("end_id", query.end_id.as_deref())?,
        channel: channel_filter(query.event_name)?,
    };
    if range
        .start
        .zip(range.end)
        .is_some_and(|(start, end)| start > end)
    {
        return Err(ApiError::bad_request(
            "start_id must not be newer than end_id",
        ));
    }
    engine.delete_events(&user.id, &id, range).await?;
    Ok(StatusCode::ACCEPTED)
}

/// The rows of a page, cut at the window of events that are shown.
fn shown(
    c: &mut dyn Conn,
    source: &SourceId,
    channel: &ChannelFilter,
    page: &PageRequest<EventId>,
) -> Result<Vec<StoredEvent>, StoreError> {
    if page.after.is_none() && page.before.is_none() {
        return events::newest(c, source, channel, page.limit, None, None);
    }
    let window = events::newest(c, source, channel, SHOWN, None, None)?;
    Ok(page_within(window, page, |event| event.id))
}

/// The page of a window whose rows stand newest first.
fn page_within<T>(
    window: Vec<T>,
    page: &PageRequest<EventId>,
    id_of: impl Fn(&T) -> EventId,
) -> Vec<T> {
    let limit = page.limit as usize;
    if let Some(after) = page.after {
        let older = window.into_iter().filter(|row| id_of(row) < after);
        return older.take(limit).collect();
    }
    let is_newer = |row: &T| page.before.is_none_or(|before| id_of(row) > before);
    let newer = window.iter().take_while(|row| is_newer(row)).count();
    let nearest = newer.saturating_sub(limit);
    window.into_iter().take(newer).skip(nearest).collect()
}

pub(super) fn parse_expand(expand: Option<&str>) -> Result<Detail, ApiError> {
    match expand {
        None => Ok(Detail::Preview),
        Some("event") => Ok(Detail::Whole),
        Some(_) => Err(ApiError::bad_request("expand must be \"event\"")),
    }
}

fn parse_bound(name: &str, text: Option<&str>) -> Result<Option<EventId>, ApiError> {
    let parse = |text| {
        EventId::parse(text)
            .ok_or_else(|| ApiError::BadRequest(format!("{name} is not an event id")))
    };
    text.map(parse).transpose()
}

pub(super) fn channel_filter(event_name: Option<String>) -> Result<ChannelFilter, ApiError> {
    match event_name {
        None => Ok(ChannelFilter::AllButSystem),
        Some(name) if name == "default" => Ok(ChannelFilter::One(String::new())),
        Some(name) if name.contains('\0') => Err(ApiError::bad_request(
            "event_name must not contain NUL characters",
        )),
        Some(name) => Ok(ChannelFilter::One(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(limit: u32, after: Option<i64>, before: Option<i64>) -> Vec<i64> {
        let id = |ms| EventId { ms, seq: 0 };
        let request = PageRequest {
            limit,
            after: after.map(id),
            before: before.map(id),
        };
        page_within(vec![50, 40, 30, 20, 10], &request, |ms| id(*ms))
    }

    #[test]
    fn after_goes_on_with_older_events_and_ends_with_the_window() {
        assert_eq!(page(2, Some(40), None), [30, 20]);
        assert_eq!(page(2, Some(45), None), [40, 30]);
        assert_eq!(page(9, Some(30), None), [20, 10]);
        assert!(page(2, Some(10), None).is_empty());
        assert!(page(2, Some(5), None).is_empty());
    }

    #[test]
    fn before_gives_the_nearest_newer_events() {
        assert_eq!(page(2, None, Some(20)), [40, 30]);
        assert_eq!(page(9, None, Some(20)), [50, 40, 30]);
        assert!(page(2, None, Some(50)).is_empty());
        assert_eq!(page(2, None, Some(1)), [20, 10]);
    }

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
