//! The files of each kind of thing, as they are written.

use std::path::PathBuf;

use clap::Args;

use super::{names::Names, template::Filling};

/// A file to write, below the chosen folder.
pub(super) struct NewFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// What was made, and what to do with it.
pub(super) struct Made {
    pub(super) files: Vec<NewFile>,
    /// Commands to go on with, each with why.
    pub(super) next: Vec<(String, &'static str)>,
}

/// What a source has. One that nothing is said about has an endpoint and a store.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Interfaces {
    /// Give the source an endpoint for HTTP requests; a source has one, and a store, unless other flags say what it has
    #[arg(long)]
    http: bool,
    /// Give the source a timer
    #[arg(long)]
    timer: bool,
    /// Give the source a store for values
    #[arg(long)]
    db: bool,
}

impl Interfaces {
    pub(super) fn is_empty(self) -> bool {
        !(self.http || self.timer || self.db)
    }

    pub(super) fn or_usual(self) -> Interfaces {
        let usual = Interfaces {
            http: true,
            timer: false,
            db: true,
        };
        if self.is_empty() { usual } else { self }
    }
}

/// Of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    JavaScript,
    TypeScript,
}

impl Language {
    fn extension(self) -> &'static str {
        match self {
            Language::JavaScript => "mjs",
            Language::TypeScript => "ts",
        }
    }

    fn filling(self) -> Filling {
        Filling::default()
            .word("js", self == Language::JavaScript)
            .word("ts", self == Language::TypeScript)
    }
}

pub(super) fn source(names: &Names, language: Language, interfaces: Interfaces) -> Made {
    let Interfaces { http, timer, db } = interfaces;
    let filling = language
        .filling()
        .word("http", http)
        .word("timer", timer)
        .word("db", db)
        .value("name", &names.title)
        .value("key", &names.slug);
    let files = with_test(
        &names.slug,
        language,
        filling,
        include_str!("templates/source.txt"),
        include_str!("templates/source_test.txt"),
    );
    let [file, _] = files.each_ref().map(NewFile::shown);
    Made {
        next: vec![
            (format!("sluice test {file}"), "run its tests"),
            (
                format!("sluice dev {file}"),
                "deploy it, and update it whenever you save",
            ),
            (format!("sluice deploy {file}"), "deploy it to stay"),
        ],
        files: files.into(),
    }
}

pub(super) fn action(names: &Names, language: Language) -> Made {
    let filling = language
        .filling()
        .value("name", &names.title)
        .value("key", &names.slug);
    let files = with_test(
        &names.slug,
        language,
        filling,
        include_str!("templates/action.txt"),
        include_str!("templates/action_test.txt"),
    );
    let [file, _] = files.each_ref().map(NewFile::shown);
    Made {
        next: vec![
            (format!("sluice test {file}"), "run its tests"),
            (
                format!("sluice test {file} --event '{{}}' --prop who=world"),
                "run it once",
            ),
            (
                format!("sluice publish {file}"),
                "let steps of workflows use it by its key",
            ),
        ],
        files: files.into(),
    }
}

pub(super) fn app(names: &Names, language: Language) -> Made {
    let app = &names.identifier;
    let app_file = format!("{app}.app.{}", language.extension());
    let filling = language
        .filling()
        .value("name", &names.title)
        .value("app", app)
        .value("app_file", &app_file);
    let definition = filling.fill(include_str!("templates/app.txt"));
    let [action, test] = with_test(
        &format!("{app}/actions/get-user/get-user"),
        language,
        filling,
        include_str!("templates/app_action.txt"),
        include_str!("templates/app_action_test.txt"),
    );
    let file = action.shown();
    Made {
        next: vec![
            (format!("sluice test {app}"), "run the tests of its action"),
            (
                format!("sluice publish {file}"),
                "let steps of workflows use the action by its key",
            ),
        ],
        files: vec![
            NewFile {
                path: PathBuf::from(format!("{app}/{app_file}")),
                text: definition,
            },
            action,
            test,
        ],
    }
}

pub(super) fn workflow(names: &Names, language: Language) -> Made {
    let folder = &names.slug;
    let file = format!("greet.{}", language.extension());
    let document = Filling::default()
        .value("name", &names.title)
        .value("file", &file);
    let [step, test] = with_test(
        &format!("{folder}/greet"),
        language,
        language.filling(),
        include_str!("templates/step.txt"),
        include_str!("templates/step_test.txt"),
    );
    Made {
        next: vec![
            (format!("sluice test {folder}"), "run the tests of its step"),
            (
                format!("sluice workflows deploy {folder}/workflow.yaml"),
                "deploy it",
            ),
        ],
        files: vec![
            NewFile {
                path: PathBuf::from(format!("{folder}/workflow.yaml")),
                text: document.fill(include_str!("templates/workflow.txt")),
            },
            step,
            test,
        ],
    }
}

/// Code and its test; `stem` is the path of the code without its extension.
fn with_test(
    stem: &str,
    language: Language,
    filling: Filling,
    code: &str,
    test: &str,
) -> [NewFile; 2] {
    let extension = language.extension();
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let filling = filling.value("file", &format!("{name}.{extension}"));
    [
        NewFile {
            path: PathBuf::from(format!("{stem}.{extension}")),
            text: filling.fill(code),
        },
        NewFile {
            path: PathBuf::from(format!("{stem}.test.{extension}")),
            text: filling.fill(test),
        },
    ]
}

impl NewFile {
    fn shown(&self) -> String {
        self.path.display().to_string()
    }
}
