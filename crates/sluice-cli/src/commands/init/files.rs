//! The files of each kind of new component or workflow.

use std::path::PathBuf;

use clap::Args;

use super::{names::Names, template::TemplateValues, typescript};

/// A file to write, relative to the target folder.
pub(super) struct NewFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

/// The new files, and the commands to run next.
pub(super) struct Scaffold {
    pub(super) files: Vec<NewFile>,
    /// Files for the whole folder, which stay if they exist.
    pub(super) shared: Vec<NewFile>,
    /// Commands, each with its purpose.
    pub(super) next: Vec<(String, &'static str)>,
}

/// The interfaces of a source. The default is an endpoint and a store.
#[derive(Debug, Clone, Copy, Args)]
pub(super) struct Interfaces {
    /// Give the source an HTTP endpoint [default: an endpoint and a store, if no interface is given]
    #[arg(long)]
    http: bool,
    /// Give the source a timer
    #[arg(long)]
    timer: bool,
    /// Give the source a key-value store
    #[arg(long)]
    db: bool,
}

impl Interfaces {
    pub(super) fn is_empty(self) -> bool {
        !(self.http || self.timer || self.db)
    }

    pub(super) fn or_default(self) -> Interfaces {
        let default = Interfaces {
            http: true,
            timer: false,
            db: true,
        };
        if self.is_empty() { default } else { self }
    }
}

/// The language of the code.
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

    fn shared_files(self) -> Vec<NewFile> {
        match self {
            Language::JavaScript => Vec::new(),
            Language::TypeScript => typescript::files()
                .map(|(path, text)| NewFile {
                    path: PathBuf::from(path),
                    text,
                })
                .into(),
        }
    }

    fn template_values(self) -> TemplateValues {
        TemplateValues::default()
            .condition("js", self == Language::JavaScript)
            .condition("ts", self == Language::TypeScript)
    }
}

pub(super) fn source(names: &Names, language: Language, interfaces: Interfaces) -> Scaffold {
    let Interfaces { http, timer, db } = interfaces;
    let values = language
        .template_values()
        .condition("http", http)
        .condition("timer", timer)
        .condition("db", db)
        .value("name", &names.title)
        .value("key", &names.slug);
    let files = with_test(
        &names.slug,
        language,
        values,
        include_str!("templates/source.txt"),
        include_str!("templates/source_test.txt"),
    );
    let [file, _] = files.each_ref().map(NewFile::shown);
    Scaffold {
        next: vec![
            (format!("sluice test {file}"), "run its tests"),
            (
                format!("sluice dev {file}"),
                "deploy it, and update it on each save",
            ),
            (format!("sluice deploy {file}"), "deploy it"),
        ],
        files: files.into(),
        shared: language.shared_files(),
    }
}

pub(super) fn action(names: &Names, language: Language) -> Scaffold {
    let values = language
        .template_values()
        .value("name", &names.title)
        .value("key", &names.slug);
    let files = with_test(
        &names.slug,
        language,
        values,
        include_str!("templates/action.txt"),
        include_str!("templates/action_test.txt"),
    );
    let [file, _] = files.each_ref().map(NewFile::shown);
    Scaffold {
        next: vec![
            (format!("sluice test {file}"), "run its tests"),
            (
                format!("sluice test {file} --event '{{}}' --prop who=world"),
                "run it once",
            ),
            (
                format!("sluice publish {file}"),
                "publish it for use in workflows",
            ),
        ],
        files: files.into(),
        shared: language.shared_files(),
    }
}

pub(super) fn app(names: &Names, language: Language) -> Scaffold {
    let app = &names.identifier;
    let app_file = format!("{app}.app.{}", language.extension());
    let values = language
        .template_values()
        .value("name", &names.title)
        .value("app", app)
        .value("app_file", &app_file);
    let definition = values.fill(include_str!("templates/app.txt"));
    let [action, test] = with_test(
        &format!("{app}/actions/get-user/get-user"),
        language,
        values,
        include_str!("templates/app_action.txt"),
        include_str!("templates/app_action_test.txt"),
    );
    let file = action.shown();
    Scaffold {
        next: vec![
            (format!("sluice test {app}"), "run the tests of its action"),
            (
                format!("sluice publish {file}"),
                "publish the action for use in workflows",
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
        shared: language.shared_files(),
    }
}

pub(super) fn workflow(names: &Names, language: Language) -> Scaffold {
    let folder = &names.slug;
    let file = format!("greet.{}", language.extension());
    let document = TemplateValues::default()
        .value("name", &names.title)
        .value("file", &file);
    let [step, test] = with_test(
        &format!("{folder}/greet"),
        language,
        language.template_values(),
        include_str!("templates/step.txt"),
        include_str!("templates/step_test.txt"),
    );
    Scaffold {
        next: vec![
            (format!("sluice test {folder}"), "run the tests of its step"),
            (
                format!("sluice workflows deploy {folder}/workflow.yaml"),
                "deploy it",
            ),
            (
                format!("sluice workflows run {folder} --wait"),
                "run it once",
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
        shared: language.shared_files(),
    }
}

/// Code and its test. `stem` is the path of the code without its extension.
fn with_test(
    stem: &str,
    language: Language,
    values: TemplateValues,
    code: &str,
    test: &str,
) -> [NewFile; 2] {
    let extension = language.extension();
    let name = stem.rsplit('/').next().unwrap_or(stem);
    let values = values.value("file", &format!("{name}.{extension}"));
    [
        NewFile {
            path: PathBuf::from(format!("{stem}.{extension}")),
            text: values.fill(code),
        },
        NewFile {
            path: PathBuf::from(format!("{stem}.test.{extension}")),
            text: values.fill(test),
        },
    ]
}

impl NewFile {
    fn shown(&self) -> String {
        self.path.display().to_string()
    }
}
