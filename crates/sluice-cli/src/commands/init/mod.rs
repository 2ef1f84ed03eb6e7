//! `sluice init`

mod files;
mod names;
mod template;

use std::{
    fmt::{self, Write},
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, bail, ensure};
use clap::{Args, ValueEnum};
use serde_json::json;

use self::{
    files::{Interfaces, Language, Made},
    names::Names,
};
use super::{
    ask,
    output::{FAINT, GOOD, complain, show, show_json, styled},
    prompt::{Question, Row, pick, required, text},
};

/// Write a new component or workflow that works as it is, with a test beside it
#[derive(Debug, Args)]
pub(crate) struct InitOptions {
    /// What to write
    kind: Option<Kind>,
    /// What to call it, such as new-orders or "New orders"
    name: Option<String>,
    /// Write TypeScript
    #[arg(long)]
    typescript: bool,
    #[command(flatten)]
    interfaces: Interfaces,
    /// Folder to write to
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    dir: PathBuf,
    /// Overwrite files that are there
    #[arg(long)]
    force: bool,
    /// Print JSON: the files that were written
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Receives requests or runs by a timer, and emits events
    Source,
    /// A step for workflows
    Action,
    /// What the components of one service share, with an action that uses it
    App,
    /// Steps that run one after the other, in YAML, with code in a file
    Workflow,
}

pub(crate) async fn init(options: &InitOptions) -> anyhow::Result<ExitCode> {
    let kind = options.kind().await?;
    let name = options.name(kind).await?;
    let made = options.make(kind, &Names::of(&name)?)?;
    write(&made, &options.dir, options.force)?;
    tell(options, &made)?;
    Ok(ExitCode::SUCCESS)
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Source => "source",
            Kind::Action => "action",
            Kind::App => "app",
            Kind::Workflow => "workflow",
        })
    }
}

impl InitOptions {
    /// What was said, or what somebody says now.
    async fn kind(&self) -> anyhow::Result<Kind> {
        match self.kind {
            Some(kind) => Ok(kind),
            None if ask::is_possible(self.json) => {
                let kinds = Kind::value_variants().iter();
                let rows = kinds.map(|kind| Row::new(kind.to_string(), *kind));
                pick(asking("What shall it be?"), rows.collect(), 0).await
            }
            None => bail!("say what to write: `sluice init source|action|app|workflow NAME`"),
        }
    }

    async fn name(&self, kind: Kind) -> anyhow::Result<String> {
        match &self.name {
            Some(name) => Ok(name.clone()),
            None if ask::is_possible(self.json) => {
                text(asking("What is it called?"), required()).await
            }
            None => bail!("say what to call it: `sluice init {kind} NAME`"),
        }
    }

    fn make(&self, kind: Kind, names: &Names) -> anyhow::Result<Made> {
        let language = if self.typescript {
            Language::TypeScript
        } else {
            Language::JavaScript
        };
        ensure!(
            kind == Kind::Source || self.interfaces.is_empty(),
            "--http, --timer and --db are for sources"
        );
        Ok(match kind {
            Kind::Source => files::source(names, language, self.interfaces.or_usual()),
            Kind::Action => files::action(names, language),
            Kind::App => files::app(names, language),
            Kind::Workflow => files::workflow(names, language),
        })
    }
}

fn asking(message: &str) -> Question {
    Question {
        message: message.to_owned(),
        ..Question::default()
    }
}

/// Writes all files, or none when one is there already.
fn write(made: &Made, dir: &Path, force: bool) -> anyhow::Result<()> {
    let paths: Vec<PathBuf> = made.files.iter().map(|file| dir.join(&file.path)).collect();
    if !force && let Some(path) = paths.iter().find(|path| path.exists()) {
        bail!(
            "{} is there already: choose another name, or overwrite it with --force",
            path.display()
        );
    }
    for (path, file) in paths.iter().zip(&made.files) {
        let folder = path.parent().unwrap_or(dir);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(path, &file.text))
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn tell(options: &InitOptions, made: &Made) -> anyhow::Result<()> {
    let paths = made
        .files
        .iter()
        .map(|file| shown(&options.dir, &file.path));
    if options.json {
        return show_json(&json!({ "files": paths.collect::<Vec<_>>() }));
    }
    for path in paths {
        show(&format!("{} {path}\n", styled(GOOD, "wrote")))?;
    }
    let room = made.next.iter().map(|(command, _)| command.len()).max();
    let mut hint = "\nNext:\n".to_owned();
    if options.dir != Path::new(".") {
        let _ = writeln!(hint, "  cd {}", options.dir.display());
    }
    for (command, why) in &made.next {
        let pad = " ".repeat(room.unwrap_or_default() - command.len());
        let _ = writeln!(hint, "  {command}{pad}  {}", styled(FAINT, why));
    }
    Ok(complain(&hint)?)
}

fn shown(dir: &Path, path: &Path) -> String {
    let path = if dir == Path::new(".") {
        path.to_owned()
    } else {
        dir.join(path)
    };
    path.display().to_string()
}
