//! The place of an event among those of all emitters: `<emitter id>/<event id>`.

use std::fmt;

use crate::{emitter_id::EmitterId, event_id::EventId};

/// An event and its emitter. Event ids alone are unique for one emitter only.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EventAddress {
    pub emitter: EmitterId,
    pub id: EventId,
}

impl EventAddress {
    pub fn parse(text: &str) -> Option<EventAddress> {
        let (emitter, id) = text.split_once('/')?;
        Some(EventAddress {
            emitter: EmitterId::parse(emitter)?,
            id: EventId::parse(id)?,
        })
    }
}

impl fmt::Display for EventAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.emitter, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_comes_back_from_its_text() {
        let address = EventAddress::parse("dc_a/1700000000000-3").unwrap();
        assert_eq!(address.emitter.as_str(), "dc_a");
        assert_eq!(address.id.seq, 3);
        assert_eq!(address.to_string(), "dc_a/1700000000000-3");
        for bad in ["dc_a", "dc_a/", "sc_a/1-1", "/1-1", "dc_a/1"] {
            assert_eq!(EventAddress::parse(bad), None, "{bad}");
        }
    }
}
