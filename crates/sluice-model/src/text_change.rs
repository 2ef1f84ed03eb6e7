//! The change of an optional text in an update: keep, clear or set.

use serde::{Serialize, Serializer};

/// In JSON, `Set` is the text, `Clear` is null, and `Keep` is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TextChange {
    #[default]
    Keep,
    Clear,
    Set(String),
}

impl TextChange {
    pub fn apply(self, text: &mut Option<String>) {
        match self {
            TextChange::Keep => {}
            TextChange::Clear => *text = None,
            TextChange::Set(new) => *text = Some(new),
        }
    }

    pub fn is_keep(&self) -> bool {
        *self == TextChange::Keep
    }
}

impl Serialize for TextChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TextChange::Keep | TextChange::Clear => serializer.serialize_none(),
            TextChange::Set(text) => serializer.serialize_some(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_cleared_or_set() {
        let after = |change: TextChange| {
            let mut text = Some("old".to_owned());
            change.apply(&mut text);
            text
        };
        assert_eq!(after(TextChange::Keep).as_deref(), Some("old"));
        assert_eq!(after(TextChange::Clear), None);
        assert_eq!(
            after(TextChange::Set("new".to_owned())).as_deref(),
            Some("new")
        );
    }
}
