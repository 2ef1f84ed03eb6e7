//! The README's way from nothing to a source that is deployed, tried, watched, changed and deleted, typed at a terminal. The other
//! pages run without one (`pages`).

use std::{env, fs, path::Path, process::Command};

use sluice_testkit::{Key, Terminal, sluice_binary};

use crate::pages::markdown::{Kind, Page};

/// What the shell prints when a command has ended, with its exit code.
const PROMPT: &str = "ended with ";

fn readme() -> Page {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let page = Page::parse(&fs::read_to_string(file).expect("the README"));
    assert_eq!(page.errors, [""; 0]);
    page
}

/// Somebody with a shell in a terminal.
struct Person {
    terminal: Terminal,
    commands: usize,
}

impl Person {
    fn sit_down(folder: &Path) -> Person {
        let binaries = sluice_binary().parent();
        let path = env::var("PATH").expect("a path");
        let config = folder.join("config").display().to_string();
        let mut environment = vec![
            (
                "PATH",
                format!("{}:{path}", binaries.expect("a folder").display()),
            ),
            ("HOME", folder.display().to_string()),
            ("XDG_CONFIG_HOME", config),
            ("PS1", format!("{PROMPT}$?\n")),
            // Whatever uses the port that is the default.
            ("SLUICE_LISTEN", "127.0.0.1:0".to_owned()),
        ];
        environment.extend(env::var("SLUICE_DENO").map(|deno| ("SLUICE_DENO", deno)));
        let environment: Vec<_> = environment
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let shell = ["--norc", "--noprofile", "--noediting", "-i"];
        let terminal = Terminal::start("bash", &shell, &environment, folder);
        Person {
            terminal,
            commands: 1,
        }
    }

    fn type_line(&mut self, line: &str) {
        self.terminal.type_line(line);
        self.commands += 1;
    }

    /// Waits until the commands that were typed have ended, and gives the exit code of the last.
    async fn ended(&self) -> String {
        let code = || {
            let output = self.terminal.output();
            let (code, _) = output.split(PROMPT).nth(self.commands)?.split_once('\n')?;
            Some(code.trim().to_owned())
        };
        self.terminal
            .wait_for("the command to end", |_| code().is_some())
            .await;
        code().expect("it was there")
    }

    /// Runs a command that must succeed.
    async fn run(&mut self, line: &str) {
        self.type_line(line);
        let code = self.ended().await;
        assert_eq!(code, "0", "{line}:\n{}", self.terminal.screen());
    }
}

#[tokio::test]
async fn the_commands_of_the_readme_work_as_printed_in_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = readme();
    let blocks = page.shell();
    let (first, others) = blocks.split_first().expect("commands");
    let Kind::ShellInBackground(ready) = &first.kind else {
        panic!("the first command starts the server");
    };
    let mut operator = Person::sit_down(folder.path());
    operator.type_line(first.text.trim());
    operator.terminal.wait_for_text("Your email address").await;
    operator.terminal.press(Key::Enter);
    operator.terminal.wait_for_text(ready).await;

    let mut person = Person::sit_down(folder.path());
    for line in others.iter().flat_map(|block| block.text.lines()) {
        match line {
            "sluice deploy counter.mjs" => deploy_and_watch(&mut person, line).await,
            "sluice update counter --code counter.mjs" => {
                let file = folder.path().join("counter.mjs");
                let code = fs::read_to_string(&file).expect("init wrote it");
                fs::write(&file, code.replace("request ${count}", "number ${count}"))
                    .expect("saved");
                person.run(line).await;
            }
            "sluice delete counter" => {
                person.type_line(line);
                person
                    .terminal
                    .wait_for_text("with all events and logs")
                    .await;
                person.terminal.type_line("y");
                assert_eq!(person.ended().await, "0");
            }
            _ => person.run(line).await,
        }
        let screen = person.terminal.screen();
        match line {
            "sluice events counter" => assert!(screen.contains(r#"{"hello":"world"}"#), "{screen}"),
            "sluice list sources" => assert!(screen.contains("active"), "{screen}"),
            _ => {}
        }
    }
    person.run("sluice list sources --json").await;
    assert!(person.terminal.screen().contains("[]"));
}

/// What the person does while `deploy` shows events: runs the command that it printed, and sees the event come.
async fn deploy_and_watch(person: &mut Person, line: &str) {
    person.type_line(line);
    person.terminal.wait_for_text("Send a test request").await;
    let has_endpoint = |screen: &str| screen.lines().any(|line| line.contains("  curl "));
    person
        .terminal
        .wait_for("a command to try", has_endpoint)
        .await;
    let screen = person.terminal.screen();
    let curl = screen.lines().find(|line| line.contains("  curl "));
    let sent = Command::new("sh")
        .arg("-c")
        .arg(curl.expect("it is there"))
        .output();
    let answer = sent.expect("a shell").stdout;
    assert_eq!(String::from_utf8_lossy(&answer), r#"{"count":1}"#);
    person.terminal.wait_for_text("request 1").await;
    person.terminal.press(Key::CtrlC);
    assert_eq!(person.ended().await, "130");
}
