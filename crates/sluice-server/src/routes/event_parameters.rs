//! Parameters that select events.

use sluice_model::EventId;
use sluice_store::{events::ChannelFilter, routes::channel};

use crate::{error::ApiError, routes::summary::Detail};

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
