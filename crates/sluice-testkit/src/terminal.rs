//! A program in a terminal of its own: what it draws is seen as a person would, and typed at as a person would.

use std::{
    ffi::OsStr,
    io::{Read, Write},
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};

use parking_lot::Mutex;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use tokio::time::{sleep, timeout};
use vt100::Parser;

const ROWS: u16 = 60;
const COLUMNS: u16 = 160;
const PATIENCE: Duration = Duration::from_mins(1);
const GLANCE: Duration = Duration::from_millis(20);

/// A program that runs in a pseudo-terminal. It is killed when this is dropped.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    display: Arc<Mutex<Display>>,
    /// What the program draws on goes when this does.
    _pty: Box<dyn MasterPty + Send>,
}

struct Display {
    parser: Parser,
    /// All that was ever written, with its escape codes.
    output: Vec<u8>,
    is_closed: bool,
}

/// Keys that are no letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Enter,
    Escape,
    Space,
    Tab,
    Backspace,
    Up,
    Down,
    Left,
    Right,
    CtrlC,
    CtrlD,
}

impl Terminal {
    /// Starts a program in the given folder, with nothing in its environment but this and the kind of the terminal.
    pub fn start(
        program: &str,
        args: &[&str],
        env: &[(String, String)],
        folder: &Path,
    ) -> Terminal {
        let size = PtySize {
            rows: ROWS,
            cols: COLUMNS,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pty = native_pty_system()
            .openpty(size)
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(folder);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        for (name, value) in env {
            command.env(OsStr::new(name), OsStr::new(value));
        }
        let child = pty
            .slave
            .spawn_command(command)
            .expect("the program starts");
        // Only the program holds the other side now: when it ends, reading does.
        drop(pty.slave);
        let output = pty.master.try_clone_reader().expect("what it writes");
        let keyboard = pty.master.take_writer().expect("a keyboard");
        Terminal {
            child,
            keyboard,
            display: watch(output),
            _pty: pty.master,
        }
    }

    /// The text that is on the screen.
    pub fn screen(&self) -> String {
        self.display.lock().parser.screen().contents()
    }

    /// All that the program has written so far, with its escape codes.
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&self.display.lock().output).into_owned()
    }

    /// Waits until the text is on the screen.
    pub async fn wait_for_text(&self, text: &str) {
        self.wait_for(&format!("{text:?}"), |screen| screen.contains(text))
            .await;
    }

    /// Waits until the screen satisfies.
    pub async fn wait_for(&self, what: &str, satisfies: impl Fn(&str) -> bool) {
        let waited = timeout(PATIENCE, async {
            while !satisfies(&self.screen()) {
                sleep(GLANCE).await;
            }
        });
        assert!(
            waited.await.is_ok(),
            "waited {PATIENCE:?} in vain for {what} on this screen:\n{}",
            self.screen()
        );
    }

    /// Types text, without ending the line.
    pub fn type_text(&mut self, text: &str) {
        self.send(text.as_bytes());
    }

    /// Types text and the key that ends the line.
    pub fn type_line(&mut self, text: &str) {
        self.send(text.as_bytes());
        self.press(Key::Enter);
    }

    pub fn press(&mut self, key: Key) {
        self.send(match key {
            Key::Enter => b"\r",
            Key::Escape => b"\x1b",
            Key::Space => b" ",
            Key::Tab => b"\t",
            Key::Backspace => b"\x7f",
            Key::Up => b"\x1b[A",
            Key::Down => b"\x1b[B",
            Key::Right => b"\x1b[C",
            Key::Left => b"\x1b[D",
            Key::CtrlC => b"\x03",
            Key::CtrlD => b"\x04",
        });
    }

    /// Waits until the program has ended by itself and all it wrote is on the screen; gives its exit code.
    pub async fn exit_code(&mut self) -> u32 {
        let display = self.display.clone();
        let child = &mut self.child;
        let ended = async {
            loop {
                if let Some(status) = child.try_wait().expect("the program can be waited for")
                    && display.lock().is_closed
                {
                    return status;
                }
                sleep(GLANCE).await;
            }
        };
        let Ok(status) = timeout(PATIENCE, ended).await else {
            panic!("it goes on and on:\n{}", self.screen());
        };
        if let Some(signal) = status.signal() {
            panic!("it was ended by a signal: {signal}\n{}", self.screen());
        }
        status.exit_code()
    }

    fn send(&mut self, bytes: &[u8]) {
        let typed = self
            .keyboard
            .write_all(bytes)
            .and_then(|()| self.keyboard.flush());
        if let Err(error) = typed {
            panic!("nobody reads the keyboard ({error}):\n{}", self.screen());
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may well be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn watch(mut output: Box<dyn Read + Send>) -> Arc<Mutex<Display>> {
    let display = Arc::new(Mutex::new(Display {
        parser: Parser::new(ROWS, COLUMNS, 0),
        output: Vec::new(),
        is_closed: false,
    }));
    let seen = display.clone();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // When the last program that wrote there is gone, reading fails.
        while let Ok(read @ 1..) = output.read(&mut buffer) {
            let mut display = seen.lock();
            display.parser.process(&buffer[..read]);
            display.output.extend_from_slice(&buffer[..read]);
        }
        seen.lock().is_closed = true;
    });
    display
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Terminal {
        Terminal::start("/bin/sh", &["-c", script], &[], Path::new("/"))
    }

    #[tokio::test]
    async fn what_a_program_draws_is_seen_and_what_is_typed_reaches_it() {
        let mut terminal =
            shell("printf 'Who? '; read name; printf '\\033[31mhello %s\\033[0m\\n' $name; exit 3");
        terminal.wait_for_text("Who?").await;
        terminal.type_line("you");
        terminal.wait_for_text("hello you").await;
        assert!(!terminal.screen().contains('\u{1b}'));
        assert!(terminal.output().contains("\u{1b}[31mhello"));
        assert_eq!(terminal.exit_code().await, 3);
    }

    #[tokio::test]
    async fn the_program_knows_that_it_has_a_terminal() {
        let mut terminal = shell("test -t 0 && test -t 1 && test -t 2 && echo \"$TERM in $PWD\"");
        assert_eq!(terminal.exit_code().await, 0);
        assert_eq!(terminal.screen(), "xterm-256color in /");
    }
}
