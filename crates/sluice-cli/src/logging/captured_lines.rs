//! Log lines for tests.

use std::{io, sync::Arc};

use parking_lot::Mutex;

#[derive(Clone, Default)]
pub(super) struct CapturedLines(Arc<Mutex<Vec<u8>>>);

impl CapturedLines {
    /// For a layer that writes here.
    pub(super) fn writer(&self) -> impl Fn() -> CapturedLines + Send + Sync + 'static {
        let lines = self.clone();
        move || lines.clone()
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock()).into_owned()
    }
}

impl io::Write for CapturedLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
