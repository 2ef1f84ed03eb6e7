//! `sluice init`

mod files;
mod names;
mod template;
mod typescript;

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
    files::{Interfaces, Language, Scaffold},
    names::Names,
};
use super::{
    ask,
    output::{FAINT, GOOD, show, show_json, show_stderr, styled},
    prompt::{self, Question, Row},
};

/// Create a working component or workflow, with a test
#[derive(Debug, Args)]
pub(crate) struct InitOptions {
    /// Kind of component, or workflow
    kind: Option<Kind>,
    /// Name, such as new-orders or "New orders"
    name: Option<String>,
    /// Write TypeScript, with types for an editor and `tsc` [default: JavaScript]
    #[arg(long)]
    typescript: bool,
    #[command(flatten)]
    interfaces: Interfaces,
    /// Folder to write to
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    dir: PathBuf,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
    /// Print JSON: the files that were written
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Receives requests or runs on a timer, and emits events
    Source,
    /// A step of workflows
    Action,
    /// The shared code of the components of one service, with an action
    App,
    /// A sequence of steps, as a YAML document and a code file
    Workflow,
}

pub(crate) async fn init(options: &InitOptions) -> anyhow::Result<ExitCode> {
    let kind = options.kind().await?;
    let name = options.name(kind).await?;
    let scaffold = options.scaffold(kind, &Names::new(&name)?)?;
    let written = write(&scaffold, &options.dir, options.force)?;
    show_result(options, &scaffold, &written)?;
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
    /// The kind from the command line, or from a prompt.
    async fn kind(&self) -> anyhow::Result<Kind> {
        match self.kind {
            Some(kind) => Ok(kind),
            None if ask::is_interactive(self.json) => {
                let kinds = Kind::value_variants().iter();
                let rows = kinds.map(|kind| Row::new(kind.to_string(), *kind));
                prompt::pick(question("Kind"), rows.collect(), 0).await
            }
            None => bail!("no kind given: run `sluice init source|action|app|workflow NAME`"),
        }
    }

    async fn name(&self, kind: Kind) -> anyhow::Result<String> {
        match &self.name {
            Some(name) => Ok(name.clone()),
            None if ask::is_interactive(self.json) => {
                prompt::text(question("Name"), prompt::required()).await
            }
            None => bail!("no name given: run `sluice init {kind} NAME`"),
        }
    }

    fn scaffold(&self, kind: Kind, names: &Names) -> anyhow::Result<Scaffold> {
        let language = if self.typescript {
            Language::TypeScript
        } else {
            Language::JavaScript
        };
        ensure!(
            kind == Kind::Source || self.interfaces.is_empty(),
            "--http, --timer and --db are for sources only"
        );
        Ok(match kind {
            Kind::Source => files::source(names, language, self.interfaces.or_default()),
            Kind::Action => files::action(names, language),
            Kind::App => files::app(names, language),
            Kind::Workflow => files::workflow(names, language),
        })
    }
}

fn question(message: &str) -> Question {
    Question {
        message: message.to_owned(),
        ..Question::default()
    }
}

/// Writes all files, or none if one exists already. Existing shared files stay. Returns the written paths, relative to `dir`.
fn write(scaffold: &Scaffold, dir: &Path, force: bool) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = scaffold.files.iter().map(|file| dir.join(&file.path));
    let taken = paths.find(|path| path.exists());
    if let (false, Some(path)) = (force, taken) {
        bail!(
            "{} exists already: choose another name, or overwrite it with --force",
            path.display()
        );
    }
    let shared = scaffold.shared.iter();
    let missing = shared.filter(|file| force || !dir.join(&file.path).exists());
    let mut written = Vec::new();
    for file in scaffold.files.iter().chain(missing) {
        let path = dir.join(&file.path);
        let folder = path.parent().unwrap_or(dir);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, &file.text))
            .with_context(|| format!("cannot write {}", path.display()))?;
        written.push(file.path.clone());
    }
    Ok(written)
}

fn show_result(
    options: &InitOptions,
    scaffold: &Scaffold,
    written: &[PathBuf],
) -> anyhow::Result<()> {
    let paths = written.iter().map(|path| shown(&options.dir, path));
    if options.json {
        return show_json(&json!({ "files": paths.collect::<Vec<_>>() }));
    }
    for path in paths {
        show(&format!("{} {path}\n", styled(GOOD, "wrote")))?;
    }
    let width = scaffold.next.iter().map(|(command, _)| command.len()).max();
    let mut hint = "\nNext:\n".to_owned();
    if options.dir != Path::new(".") {
        let _ = writeln!(hint, "  cd {}", options.dir.display());
    }
    for (command, purpose) in &scaffold.next {
        let pad = " ".repeat(width.unwrap_or_default() - command.len());
        let _ = writeln!(hint, "  {command}{pad}  {}", styled(FAINT, purpose));
    }
    Ok(show_stderr(&hint)?)
}

fn shown(dir: &Path, path: &Path) -> String {
    let path = if dir == Path::new(".") {
        path.to_owned()
    } else {
        dir.join(path)
    };
    path.display().to_string()
}
