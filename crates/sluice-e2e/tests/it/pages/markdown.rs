//! Reads a page: its blocks of code, with the marks before them.
//!
//! A mark is an HTML comment, which readers do not see:
//!
//! | mark | meaning |
//! |---|---|
//! | `<!-- external: REASON -->` | the next block is not run |
//! | `<!-- file: NAME -->` | the next block is the content of a file |
//! | `<!-- include: NAME of PAGE -->` | the file that another page has is written here |
//! | `<!-- output -->` | the next block is the output of the commands before it |
//! | `<!-- output: eventually -->` | the same. The commands run again until their output is equal |
//! | `<!-- until: TEXT -->` | each line of the next block runs until it has printed the text, and is interrupted |
//! | `<!-- background: TEXT -->` | the page goes on when the next block has printed the text. It runs until the end |
//! | `<!-- where: TEXT = COMMAND -->` | in what follows, TEXT stands for the output of the command |
//! | `<!-- run: COMMANDS -->` | commands that run here, unseen |
//! | `<!-- server: none -->`, `<!-- server: operator -->` | the page starts a server itself; its user is the operator |

use std::{iter::Peekable, str::Lines};

/// Languages of blocks that have commands.
const SHELL: &str = "sh";
/// The same, by names that pages do not use.
const OTHER_SHELLS: [&str; 5] = ["bash", "shell", "console", "zsh", "shellsession"];
/// A block without a language that begins with one of these has commands.
const PROGRAMS: [&str; 12] = [
    "sluice",
    "curl",
    "make",
    "npm",
    "npx",
    "node",
    "sudo",
    "git",
    "docker",
    "systemctl",
    "export",
    "openssl",
];

/// Which server the commands of a page talk to, and as which user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerOfPage {
    /// One of the test, as an ordinary user.
    User,
    /// One of the test, as its operator.
    Operator,
    /// One that the page starts.
    Own,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Shell,
    ShellUntil(String),
    ShellInBackground(String),
    /// Commands of a comment.
    Unseen,
    /// A text and the command that prints what it stands for.
    Where(String, String),
    External,
    File(String),
    /// A file, and the page that has it.
    Include(String, String),
    Output {
        eventually: bool,
    },
    /// Code or data without a mark, in this language.
    Other(String),
}

#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// The number of its first line on the page.
    pub(crate) line: usize,
}

#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) blocks: Vec<Block>,
    pub(crate) server: ServerOfPage,
    /// Mistakes in the marks, and commands that are not in a block of shell.
    pub(crate) errors: Vec<String>,
}

impl Page {
    pub(crate) fn parse(markdown: &str) -> Page {
        let mut reader = Reader {
            lines: markdown.lines().peekable(),
            number: 0,
            mark: None,
            page: Page {
                blocks: Vec::new(),
                server: ServerOfPage::User,
                errors: Vec::new(),
            },
        };
        reader.read();
        reader.page
    }

    /// The file that a block has.
    pub(crate) fn file(&self, name: &str) -> Option<&str> {
        let is_it = |block: &&Block| block.kind == Kind::File(name.to_owned());
        self.blocks.iter().find(is_it).map(|block| &*block.text)
    }

    /// The commands that readers see, one text for each block.
    pub(crate) fn shell(&self) -> Vec<&Block> {
        let is_shell = |block: &&Block| {
            matches!(
                block.kind,
                Kind::Shell | Kind::ShellUntil(_) | Kind::ShellInBackground(_)
            )
        };
        self.blocks.iter().filter(is_shell).collect()
    }
}

struct Reader<'a> {
    lines: Peekable<Lines<'a>>,
    number: usize,
    /// The mark that waits for its block, with its line.
    mark: Option<(Kind, usize)>,
    page: Page,
}

impl<'a> Reader<'a> {
    fn next_line(&mut self) -> Option<&'a str> {
        self.number += 1;
        self.lines.next()
    }

    fn read(&mut self) {
        let mut is_after_blank = true;
        while let Some(line) = self.next_line() {
            let trimmed = line.trim_start();
            if trimmed.starts_with("<!--") {
                self.comment(trimmed);
            } else if let Some(info) = trimmed.strip_prefix("```") {
                self.fence(info, line.len() - trimmed.len());
            } else if !trimmed.is_empty() {
                let is_code = is_after_blank && line.len() - trimmed.len() >= 4;
                if is_code && begins_with_program(trimmed) {
                    self.error("commands belong into a block that begins with ```sh");
                }
                self.report_unused_mark();
            }
            is_after_blank = trimmed.is_empty();
        }
        self.report_unused_mark();
    }

    fn report_unused_mark(&mut self) {
        if let Some((kind, line)) = self.mark.take() {
            let error = format!("line {line}: no block follows the mark {kind:?}");
            self.page.errors.push(error);
        }
    }

    fn error(&mut self, text: &str) {
        let error = format!("line {}: {text}", self.number);
        self.page.errors.push(error);
    }

    fn push(&mut self, kind: Kind, text: String, line: usize) {
        self.page.blocks.push(Block { kind, text, line });
    }

    /// Reads a comment to its end.
    fn comment(&mut self, first: &str) {
        let line = self.number;
        let mut text = first.trim_start_matches("<!--").to_owned();
        while !text.contains("-->") {
            let Some(next) = self.next_line() else { break };
            text = format!("{text}\n{next}");
        }
        let text = text.split("-->").next().unwrap_or_default().trim();
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        let value = value.trim().to_owned();
        let kind = match name {
            "external" if value.is_empty() => return self.error("external needs a reason"),
            "external" => Kind::External,
            "file" => Kind::File(value),
            "output" => Kind::Output {
                eventually: value == "eventually",
            },
            "until" => Kind::ShellUntil(value),
            "background" => Kind::ShellInBackground(value),
            "run" => return self.push(Kind::Unseen, value, line),
            "where" => return self.definition(&value),
            "include" => return self.include(&value),
            "server" => return self.server(&value),
            _ => return,
        };
        self.report_unused_mark();
        self.mark = Some((kind, line));
    }

    fn definition(&mut self, value: &str) {
        let Some((text, command)) = value.split_once(" = ") else {
            return self.error("where needs TEXT = COMMAND");
        };
        let kind = Kind::Where(text.to_owned(), command.to_owned());
        self.push(kind, String::new(), self.number);
    }

    fn include(&mut self, value: &str) {
        let Some((file, page)) = value.split_once(" of ") else {
            return self.error("include needs NAME of PAGE");
        };
        let kind = Kind::Include(file.to_owned(), page.to_owned());
        self.push(kind, String::new(), self.number);
    }

    fn server(&mut self, value: &str) {
        self.page.server = match value {
            "none" => ServerOfPage::Own,
            "operator" => ServerOfPage::Operator,
            _ => return self.error("server is none or operator"),
        };
    }

    fn fence(&mut self, info: &str, indent: usize) {
        let line = self.number + 1;
        let mut text = String::new();
        while let Some(next) = self.next_line() {
            if next.trim_start().starts_with("```") {
                break;
            }
            let unindented = next.get(indent..).unwrap_or(next.trim_start());
            text.push_str(unindented);
            text.push('\n');
        }
        let language = info.split_whitespace().next().unwrap_or_default();
        let kind = match self.mark.take() {
            Some((mark, _)) => mark,
            None if language == SHELL => Kind::Shell,
            None => {
                let is_hidden_shell = language.is_empty() && begins_with_program(&text);
                if OTHER_SHELLS.contains(&language) || is_hidden_shell {
                    self.error("commands belong into a block that begins with ```sh");
                }
                Kind::Other(info.to_owned())
            }
        };
        self.push(kind, text, line);
    }
}

fn begins_with_program(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    PROGRAMS.contains(&first)
}

#[test]
fn marks_belong_to_the_next_block() {
    let page = Page::parse(
        "<!-- external: a reason -->\n\n```sh\nsudo x\n```\n\n<!-- run:\na\nb -->\n1. text\n\n   ```sh\n   one\n     two\n   ```\n",
    );
    let kinds: Vec<_> = page.blocks.iter().map(|block| &block.kind).collect();
    assert_eq!(kinds, [&Kind::External, &Kind::Unseen, &Kind::Shell]);
    let texts: Vec<_> = page.blocks.iter().map(|block| &*block.text).collect();
    assert_eq!(texts, ["sudo x\n", "a\nb", "one\n  two\n"]);
    assert_eq!(page.errors, [""; 0]);
}

#[test]
fn commands_outside_of_shell_and_marks_without_a_block_are_errors() {
    let page = Page::parse(
        "<!-- output -->\ntext\n\n    curl x\n\n```\nsluice y\n```\n\n```bash\nz\n```\n",
    );
    let lines: Vec<_> = page
        .errors
        .iter()
        .map(|error| error.split(':').next().unwrap_or_default())
        .collect();
    assert_eq!(lines, ["line 1", "line 4", "line 8", "line 12"]);
}
