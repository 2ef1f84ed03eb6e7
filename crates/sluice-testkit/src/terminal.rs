//! A program in a pseudo-terminal. A test reads its screen and types keys.

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
const TIMEOUT: Duration = Duration::from_mins(1);
const GLANCE: Duration = Duration::from_millis(20);

/// A program that runs in a pseudo-terminal. It is killed when this is dropped.
pub struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    keyboard: Box<dyn Write + Send>,
    display: Arc<Mutex<Display>>,
    /// Dropping it closes the terminal of the program.
    _pty: Box<dyn MasterPty + Send>,
}

struct Display {
    parser: Parser,
    /// The complete output, with escape codes.
    output: Vec<u8>,
    is_closed: bool,
}

/// Special keys.
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
    /// Starts a program in a folder. Its environment has only these variables and `TERM`.
    pub fn start(
        program: impl AsRef<OsStr>,
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
        // Only the program has the other side open now, so reading ends when it exits.
        drop(pty.slave);
        let output = pty
            .master
            .try_clone_reader()
            .expect("the output of the program");
        let keyboard = pty.master.take_writer().expect("the input of the program");
        Terminal {
            child,
            keyboard,
            display: watch(output),
            _pty: pty.master,
        }
    }

    /// The text on the screen.
    pub fn screen(&self) -> String {
        self.display.lock().parser.screen().contents()
    }

    /// The complete output so far, with escape codes.
    pub fn output(&self) -> String {
        String::from_utf8_lossy(&self.display.lock().output).into_owned()
    }

    /// Waits until the text is on the screen.
    pub async fn wait_for_text(&self, text: &str) {
        self.wait_for(&format!("{text:?}"), |screen| screen.contains(text))
            .await;
    }

    /// Waits until the screen satisfies a condition.
    pub async fn wait_for(&self, what: &str, satisfies: impl Fn(&str) -> bool) {
        let waited = timeout(TIMEOUT, async {
            while !satisfies(&self.screen()) {
                sleep(GLANCE).await;
            }
        });
        assert!(
            waited.await.is_ok(),
            "timed out after {TIMEOUT:?} waiting for {what} on this screen:\n{}",
            self.screen()
        );
    }

    /// Types text, without ending the line.
    pub fn type_text(&mut self, text: &str) {
        self.send(text.as_bytes());
    }

    /// Types text and presses Enter.
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

    /// Waits until the program has exited and its output is on the screen. Returns the exit code.
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
        let Ok(status) = timeout(TIMEOUT, ended).await else {
            panic!("the program does not exit:\n{}", self.screen());
        };
        if let Some(signal) = status.signal() {
            panic!("the program was killed by {signal}:\n{}", self.screen());
        }
        status.exit_code()
    }

    fn send(&mut self, bytes: &[u8]) {
        let typed = self
            .keyboard
            .write_all(bytes)
            .and_then(|()| self.keyboard.flush());
        if let Err(error) = typed {
            panic!("cannot write to the terminal ({error}):\n{}", self.screen());
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have exited already.
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
        // Reading fails when the last program with the terminal open has exited.
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
