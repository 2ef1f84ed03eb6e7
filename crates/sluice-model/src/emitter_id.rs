//! Ids of emitters: the sources and workflows that receive events and emit events.
//!
//! A [`SourceId`] and a [`WorkflowId`] are each an [`EmitterId`] with a known prefix. They dereference to one, as a
//! `String` does to a `str`. Code for both takes an `&EmitterId`.

use std::{ops::Deref, sync::Arc};

use rand::Rng;

use crate::{
    ids::{is_tail, random_text},
    text_id::text_id,
};

/// A source or a workflow.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EmitterId(Arc<str>);

/// An emitter, by its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmitterKind {
    Source(SourceId),
    Workflow(WorkflowId),
}

impl EmitterId {
    pub fn parse(text: &str) -> Option<Self> {
        let known = [SourceId::PREFIX, WorkflowId::PREFIX];
        let tail = known.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        is_tail(tail).then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn kind(&self) -> EmitterKind {
        if self.0.starts_with(SourceId::PREFIX) {
            EmitterKind::Source(SourceId(self.clone()))
        } else {
            EmitterKind::Workflow(WorkflowId(self.clone()))
        }
    }
}

macro_rules! emitter_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(EmitterId);

        impl $name {
            pub const PREFIX: &'static str = $prefix;

            /// A new id. The caller supplies the randomness.
            pub fn random(rng: &mut impl Rng) -> Self {
                Self(EmitterId(random_text(Self::PREFIX, rng)))
            }

            /// Parses an id of this type.
            pub fn parse(text: &str) -> Option<Self> {
                text.strip_prefix(Self::PREFIX).filter(|tail| is_tail(tail))?;
                Some(Self(EmitterId(text.into())))
            }
        }

        impl Deref for $name {
            type Target = EmitterId;

            fn deref(&self) -> &EmitterId {
                &self.0
            }
        }

        impl From<$name> for EmitterId {
            fn from(id: $name) -> EmitterId {
                id.0
            }
        }

        text_id!($name);
    };
}

text_id!(EmitterId);

emitter_id!(
    /// A source: a deployed instance of a component.
    SourceId,
    "dc_"
);
emitter_id!(
    /// A workflow: steps that run for each event it receives.
    WorkflowId,
    "p_"
);

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;

    #[test]
    fn random_ids_parse_back() {
        let mut rng = StdRng::seed_from_u64(1);
        let id = SourceId::random(&mut rng);
        assert_eq!(id.as_str().len(), 15);
        assert_eq!(SourceId::parse(id.as_str()), Some(id.clone()));
        assert_ne!(SourceId::random(&mut rng), id);
    }

    #[test]
    fn only_the_right_prefix_and_a_plain_tail_parse() {
        let long = "x".repeat(67);
        assert!(SourceId::parse(&format!("dc_{long}")).is_some());
        assert!(WorkflowId::parse("p_abc").is_some());
        for bad in [
            "", "dc_", "sc_abc", "DC_abc", "dc_a b", "dc_a\0", "dc_ä", "abc", "p_",
        ] {
            assert_eq!(SourceId::parse(bad), None, "{bad:?}");
            assert_eq!(EmitterId::parse(bad), None, "{bad:?}");
        }
        assert_eq!(SourceId::parse(&format!("dc_{long}x")), None);
        assert_eq!(SourceId::parse("p_abc"), None);
    }

    #[test]
    fn an_emitter_is_what_its_prefix_says() {
        let source = SourceId::parse("dc_abc").unwrap();
        let workflow = WorkflowId::parse("p_abc").unwrap();
        let parsed = |text| EmitterId::parse(text).unwrap();
        assert_eq!(parsed("dc_abc"), *source);
        assert_eq!(parsed("dc_abc").kind(), EmitterKind::Source(source));
        assert_eq!(parsed("p_abc").kind(), EmitterKind::Workflow(workflow));
    }
}
