//! `include` and `exclude`: the fields of each item that a client wants.
//!
//! Selection works on serialised JSON, one level deep, so that payloads inside an item are passed through unchanged.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::{RawValue, to_raw_value};
use sluice_api::FieldQuery;

/// The fields to keep. Names that no item has are ignored.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSelection {
    include: Option<HashSet<String>>,
    exclude: HashSet<String>,
}

impl FieldSelection {
    pub(crate) fn new(query: &FieldQuery) -> Self {
        FieldSelection {
            // An empty `include=` counts as absent, because no client wants no fields.
            include: query
                .include
                .as_deref()
                .map(names)
                .filter(|names| !names.is_empty()),
            exclude: query.exclude.as_deref().map(names).unwrap_or_default(),
        }
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.include.is_none() && self.exclude.is_empty()
    }

    /// The item with only the selected fields, in their order.
    pub(crate) fn apply(&self, item: &impl Serialize) -> serde_json::Result<Box<RawValue>> {
        let whole = serde_json::to_string(item)?;
        let mut fields: Fields<'_> = serde_json::from_str(&whole)?;
        fields.0.retain(|(name, _)| self.keeps(name));
        to_raw_value(&fields)
    }

    fn keeps(&self, name: &str) -> bool {
        let included = self
            .include
            .as_ref()
            .is_none_or(|names| names.contains(name));
        included && !self.exclude.contains(name)
    }
}

fn names(list: &str) -> HashSet<String> {
    let names = list.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The fields of an object in their order, with unparsed values.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;

        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(map.size_hint().unwrap_or(8));
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(FieldsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct Item {
        id: u8,
        name: &'static str,
        event: Box<RawValue>,
    }

    fn select(include: Option<&str>, exclude: Option<&str>) -> String {
        let query = FieldQuery {
            include: include.map(str::to_owned),
            exclude: exclude.map(str::to_owned),
        };
        let event = RawValue::from_string(r#"{"n": 1.50, "name":  "x"}"#.to_owned()).unwrap();
        let item = Item {
            id: 1,
            name: "a",
            event,
        };
        FieldSelection::new(&query)
            .apply(&item)
            .unwrap()
            .get()
            .to_owned()
    }

    #[test]
    fn include_keeps_only_the_named_fields() {
        assert_eq!(
            select(Some("name, id,unknown"), None),
            r#"{"id":1,"name":"a"}"#
        );
        assert_eq!(select(Some("unknown"), None), "{}");
    }

    #[test]
    fn exclude_drops_the_named_fields_also_from_include() {
        assert_eq!(select(None, Some("event")), r#"{"id":1,"name":"a"}"#);
        assert_eq!(select(Some("id,name"), Some("name")), r#"{"id":1}"#);
    }

    #[test]
    fn payloads_keep_their_text_and_their_inner_fields() {
        assert_eq!(
            select(Some("event"), Some("name")),
            r#"{"event":{"n": 1.50, "name":  "x"}}"#
        );
    }

    #[test]
    fn empty_lists_select_everything() {
        let query = FieldQuery {
            include: Some(" ,".to_owned()),
            exclude: Some(String::new()),
        };
        let selection = FieldSelection::new(&query);
        assert!(selection.is_everything());
        let item = json!({"b": 1, "a": 2});
        assert_eq!(selection.apply(&item).unwrap().get(), r#"{"b":1,"a":2}"#);
    }
}
