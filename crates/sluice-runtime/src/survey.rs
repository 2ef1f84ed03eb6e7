//! Reads the shapes of many components without installing packages, with stand-ins for packages. Components of one app share a
//! process, because starting one costs more than reading a shape.
//!
//! In a shared process one component could change prototypes and Node modules that the next one uses, or end the process later.
//! So no two apps share one, and a component that a used process does not read is read in a new one.

use std::{collections::VecDeque, io, path::Path, sync::Arc, thread, time::Duration};

use sluice_code::CodeTree;
use sluice_model::{CodeError, ComponentShape, RawShape};
use tokio::task::JoinSet;

use crate::{
    deno_process::StartedChild,
    fair_queue::PermitUser,
    inner::Inner,
    load_limit,
    load_message::survey_line,
    loading::{Layout, UNEXPECTED, code_error, lay_out_all, unreadable},
    preload::Preload,
    process_group::kill_group,
    protocol::Message,
    spec::{LoadError, ModuleSpec},
};

/// The time limit for a module, once its process is ready.
const LOAD_TIMEOUT: Duration = Duration::from_secs(4);
/// The number of components that one process reads.
const MAX_GROUP: usize = 16;

/// The number of concurrent processes, over all surveys: one more than can run, because each waits for its files at first.
pub(crate) fn max_processes() -> usize {
    1 + thread::available_parallelism().map_or(1, usize::from)
}

/// The shapes of components, in their order, without values from their packages.
pub(crate) async fn survey(
    inner: &Arc<Inner>,
    modules: Vec<CodeTree>,
    user: &PermitUser,
) -> Vec<Result<ComponentShape, LoadError>> {
    let mut shapes: Vec<Option<Result<ComponentShape, LoadError>>> = Vec::new();
    shapes.resize_with(modules.len(), || None);
    let mut readers = JoinSet::new();
    for group in groups(modules) {
        let (inner, user) = (Arc::clone(inner), user.clone());
        readers.spawn(async move { inner.survey_group(group, &user).await });
    }
    while let Some(read) = readers.join_next().await {
        for (number, shape) in read.into_iter().flatten() {
            shapes[number] = Some(shape);
        }
    }
    let lost = || Err(LoadError::Start("its reader failed".to_owned()));
    shapes
        .into_iter()
        .map(|shape| shape.unwrap_or_else(lost))
        .collect()
}

/// Components with their numbers, those of one app together.
fn groups(modules: Vec<CodeTree>) -> Vec<Vec<(usize, CodeTree)>> {
    let mut groups: Vec<Vec<(usize, CodeTree)>> = Vec::new();
    for (number, module) in modules.into_iter().enumerate() {
        match groups.last_mut() {
            Some(group)
                if group.len() < MAX_GROUP
                    && group
                        .iter()
                        .all(|(_, other)| are_of_one_app(other, &module)) =>
            {
                group.push((number, module));
            }
            _ => groups.push(vec![(number, module)]),
        }
    }
    groups
}

/// The folder of an app is the first one in the path of its files.
fn are_of_one_app(a: &CodeTree, b: &CodeTree) -> bool {
    let app = |tree: &CodeTree| {
        let location = tree.locations().next().unwrap_or_default();
        location.split_once('/').map(|(app, _)| app.to_owned())
    };
    app(a).is_some() && app(a) == app(b)
}

impl Inner {
    async fn survey_group(
        &self,
        group: Vec<(usize, CodeTree)>,
        user: &PermitUser,
    ) -> Vec<(usize, Result<ComponentShape, LoadError>)> {
        let _permit = self.surveys.acquire(user).await;
        let mut shapes = Vec::with_capacity(group.len());
        let (mut process, mut has_failed) = (None, false);
        for (position, (number, module)) in group.iter().enumerate() {
            let (rest, is_used) = (&group[position..], process.is_some());
            // After a failure, each component is written when it is its turn: a process that fails early would have written the
            // others for nothing.
            let ahead = if has_failed { &rest[..1] } else { rest };
            let mut report = self.survey_next(&mut process, ahead, user).await;
            if report.is_err() {
                has_failed = true;
                end(process.take()).await;
                if is_used {
                    report = self.survey_next(&mut process, &rest[..1], user).await;
                }
            }
            if report.is_err() {
                end(process.take()).await;
            }
            shapes.push((*number, report.and_then(|report| report.shape(module))));
        }
        end(process).await;
        shapes
    }

    /// Reads the first of these components in the given process, or in a new one, for which all of them are written. After an
    /// error the process is not used again.
    async fn survey_next(
        &self,
        process: &mut Option<SurveyProcess>,
        modules: &[(usize, CodeTree)],
        user: &PermitUser,
    ) -> Result<Report, LoadError> {
        let SurveyProcess { child, lines } = match process {
            Some(process) => process,
            None => process.insert(self.start_survey(modules, user).await?),
        };
        if lines.is_empty() {
            *lines = Files::of(&child.folder.code(), &modules[..1])
                .write()
                .await?;
        }
        let Some(line) = lines.pop_front().transpose()? else {
            return Err(LoadError::Start("there is no component".to_owned()));
        };
        child.channel.send(&line).await?;
        let pid = child.child.id();
        let report = load_limit::within(LOAD_TIMEOUT, pid, self.report(child)).await;
        report.unwrap_or_else(|| Err(too_slow()))
    }

    /// A process for these components. Their files are written while it starts.
    async fn start_survey(
        &self,
        modules: &[(usize, CodeTree)],
        user: &PermitUser,
    ) -> Result<SurveyProcess, LoadError> {
        let _permit = self.starting.acquire(user).await;
        let mut child = self.spawn(Preload::Nothing)?;
        if let Some(user) = user {
            child.watchdog.assign(user);
        }
        let files = Files::of(&child.folder.code(), modules);
        let (lines, ready) = tokio::join!(files.write(), self.until_ready(&mut child));
        ready?;
        Ok(SurveyProcess {
            child,
            lines: lines?,
        })
    }

    /// The next report of a process.
    async fn report(&self, started: &mut StartedChild) -> Result<Report, LoadError> {
        loop {
            match self.next_message(started).await? {
                Message::Loaded(mut shapes) => {
                    let shape = shapes.pop().filter(|_| shapes.is_empty());
                    let shape = shape.ok_or_else(|| unreadable("it reported no shape of its own"));
                    return Ok(Report::Shape(Box::new(shape?)));
                }
                Message::Failed(error, _) => return Ok(Report::Failed(error)),
                Message::Log(..) => {}
                _ => return Err(unreadable(UNEXPECTED)),
            }
        }
    }
}

/// A process that reads components, one after the other.
struct SurveyProcess {
    child: StartedChild,
    /// The messages about components that are written and that it has not read. An error is that of its component.
    lines: VecDeque<io::Result<String>>,
}

/// The files of components.
struct Files {
    layouts: Vec<io::Result<Layout>>,
    lines: Vec<String>,
}

impl Files {
    fn of(folder: &Path, modules: &[(usize, CodeTree)]) -> Files {
        let (layouts, lines) = modules
            .iter()
            .map(|(number, module)| {
                let files = module.without_packages();
                let folder = folder.join(format!("{}{number}", ModuleSpec::COMPONENT));
                let layout = Layout::new(&folder, &files);
                let entry = layout.as_ref().map(|layout| layout.entry.as_path());
                let line = survey_line(&folder, entry.unwrap_or(&folder), &files);
                (layout, line)
            })
            .unzip();
        Files { layouts, lines }
    }

    /// Writes them. Returns the message about each component, or why its files were not written.
    async fn write(self) -> io::Result<VecDeque<io::Result<String>>> {
        let written = lay_out_all(self.layouts).await?.into_iter();
        let results = written.zip(self.lines);
        Ok(results
            .map(|(written, line)| written.map(|()| line))
            .collect())
    }
}

/// The report of a process about one component.
enum Report {
    Shape(Box<RawShape>),
    Failed(CodeError),
}

impl Report {
    fn shape(self, module: &CodeTree) -> Result<ComponentShape, LoadError> {
        let shape = match self {
            Report::Shape(shape) => shape,
            Report::Failed(error) => return Err(LoadError::Code(vec![error])),
        };
        shape.check(module.format()).map_err(|errors| {
            let errors = errors.into_iter().map(CodeError::without_position);
            LoadError::Code(errors.collect())
        })
    }
}

async fn end(process: Option<SurveyProcess>) {
    if let Some(SurveyProcess { mut child, .. }) = process {
        kill_group(&child.child);
        let _ = child.child.wait().await;
    }
}

fn too_slow() -> LoadError {
    code_error(format!(
        "loading took longer than {} s",
        LOAD_TIMEOUT.as_secs()
    ))
}

#[cfg(test)]
mod tests {
    use sluice_code::ParsedModule;

    use super::*;

    #[tokio::test]
    async fn an_error_of_writing_is_that_of_its_component() {
        let modules: Vec<(usize, CodeTree)> = (0..3)
            .map(|number| {
                let module = ParsedModule::parse("export default {};", None);
                (number, CodeTree::single(module.expect("valid code")))
            })
            .collect();
        let folder = tempfile::tempdir().expect("a folder");
        let in_the_way = format!("{}1", ModuleSpec::COMPONENT);
        std::fs::write(folder.path().join(in_the_way), "").expect("a file");
        let files = Files::of(folder.path(), &modules);
        let written = files.write().await.expect("the results");
        let written: Vec<bool> = written.iter().map(Result::is_ok).collect();
        assert_eq!(written, [true, false, true]);
    }
}
