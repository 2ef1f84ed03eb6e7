//! Reads the server's log: the last lines for failure messages, and the announced address.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
    thread,
};

use serde_json::Value;

const KEPT_LINES: usize = 2_000;
const ANNOUNCEMENT: &str = "listening on ";

/// The last lines of a server's log, across restarts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl Log {
    /// Reads `stream` in the background. The receiver gets the announced URL. It disconnects without one if the stream ends
    /// first, because the server has exited.
    pub(crate) fn follow(&self, stream: impl Read + Send + 'static) -> Receiver<String> {
        let (announce, announced) = channel();
        let log = self.clone();
        thread::spawn(move || {
            let mut lines = BufReader::new(stream);
            let mut line = Vec::new();
            while lines
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                if let Some(url) = announced_url(&text) {
                    // The receiver is gone when a server announces its URL twice.
                    let _ = announce.send(url);
                }
                log.push(text);
                line.clear();
            }
        });
        announced
    }

    pub(crate) fn text(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }

    fn push(&self, line: String) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == KEPT_LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

fn announced_url(line: &str) -> Option<String> {
    // A cheap check first, because a server under load may log a lot.
    if !line.contains(ANNOUNCEMENT) {
        return None;
    }
    let entry: Value = serde_json::from_str(line).ok()?;
    let message = entry
        .pointer("/fields/message")
        .or_else(|| entry.get("message"))?
        .as_str()?;
    let url = message
        .strip_prefix(ANNOUNCEMENT)?
        .split_whitespace()
        .next()?;
    Some(url.trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_is_taken_from_both_shapes_of_a_log_line() {
        let nested =
            r#"{"level":"INFO","fields":{"message":"listening on http://127.0.0.1:4000"}}"#;
        let flat = r#"{"message":"listening on http://127.0.0.1:4001/"}"#;
        assert_eq!(
            announced_url(nested).as_deref(),
            Some("http://127.0.0.1:4000")
        );
        assert_eq!(
            announced_url(flat).as_deref(),
            Some("http://127.0.0.1:4001")
        );
        assert_eq!(announced_url("listening on http://127.0.0.1:1"), None);
        assert_eq!(
            announced_url(r#"{"message":"not listening on anything"}"#),
            None
        );
    }

    #[test]
    fn only_the_newest_lines_are_kept() {
        let log = Log::default();
        for number in 0..KEPT_LINES + 5 {
            log.push(number.to_string());
        }
        assert!(log.text().starts_with("5\n6\n"));
        assert_eq!(log.text().lines().count(), KEPT_LINES);
    }
}
