//! Writes JSON into one buffer. The caller writes commas and brackets.

use std::fmt::Display;

/// A JSON text that is being written.
#[derive(Default)]
pub(super) struct JsonText(Vec<u8>);

impl JsonText {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        JsonText(Vec::with_capacity(capacity))
    }

    /// Text that is JSON.
    pub(super) fn raw(&mut self, json: &str) {
        self.0.extend_from_slice(json.as_bytes());
    }

    pub(super) fn string(&mut self, text: &str) {
        serde_json::to_writer(&mut self.0, text).expect("writing a string to memory does not fail");
    }

    /// A string that needs no escapes, such as a number or an address.
    pub(super) fn plain(&mut self, text: impl Display) {
        self.raw("\"");
        self.raw(&text.to_string());
        self.raw("\"");
    }

    /// Items in order, with commas between them.
    pub(super) fn joined<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                self.raw(",");
            }
            write(self, item);
        }
    }

    pub(super) fn into_string(self) -> String {
        String::from_utf8(self.0).expect("only strings are written")
    }
}
