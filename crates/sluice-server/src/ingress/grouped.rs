//! Named values, such as those of a query string, as a flat object. A repeated name becomes a list.

use std::{borrow::Cow, collections::HashMap};

use super::json_text::JsonText;

/// Values under their names, in order of first appearance.
pub(super) struct Grouped<'a, T> {
    rows: Vec<(Cow<'a, str>, Vec<T>)>,
    indexes: HashMap<Cow<'a, str>, usize>,
}

impl<'a, T> Grouped<'a, T> {
    pub(super) fn new() -> Self {
        Grouped {
            rows: Vec::new(),
            indexes: HashMap::new(),
        }
    }

    pub(super) fn add(&mut self, name: Cow<'a, str>, value: T) {
        if let Some(&index) = self.indexes.get(&name) {
            self.rows[index].1.push(value);
        } else {
            self.indexes.insert(name.clone(), self.rows.len());
            self.rows.push((name, vec![value]));
        }
    }

    pub(super) fn write(&self, text: &mut JsonText, write_value: impl Fn(&mut JsonText, &T)) {
        text.raw("{");
        text.joined(&self.rows, |text, (name, values)| {
            text.string(name);
            text.raw(":");
            match values.as_slice() {
                [value] => write_value(text, value),
                values => {
                    text.raw("[");
                    text.joined(values, &write_value);
                    text.raw("]");
                }
            }
        });
        text.raw("}");
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = T> {
        self.rows.into_iter().flat_map(|(_, values)| values)
    }
}

/// Writes the values of a query string or a url-encoded form.
pub(super) fn write_urlencoded(text: &mut JsonText, encoded: &[u8]) {
    let mut pairs = Grouped::new();
    for (name, value) in form_urlencoded::parse(encoded) {
        pairs.add(name, value);
    }
    pairs.write(text, |text, value| text.string(value));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn parsed(encoded: &[u8]) -> Value {
        let mut text = JsonText::default();
        write_urlencoded(&mut text, encoded);
        serde_json::from_str(&text.into_string()).unwrap()
    }

    #[test]
    fn a_repeated_name_becomes_a_list_at_its_first_position() {
        assert_eq!(
            parsed(b"a=1&b=x+y%20z&a=2&c&a=&=e").to_string(),
            json!({"a": ["1", "2", ""], "b": "x y z", "c": "", "": "e"}).to_string()
        );
        assert_eq!(parsed(b""), json!({}));
        assert_eq!(
            parsed(b"%ff=%22&%zz=%"),
            json!({"\u{fffd}": "\"", "%zz": "%"})
        );
    }

    proptest! {
        #[test]
        fn anything_becomes_an_object(encoded in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(parsed(&encoded).is_object());
        }
    }
}
