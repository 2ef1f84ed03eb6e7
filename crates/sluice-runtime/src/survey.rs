//! Reads the shapes of many components without installing packages, with stand-ins for packages. Components of one app share a
//! process, because starting one costs more than reading a shape.
//!
//! In a shared process one component could change prototypes and Node modules that the next one uses, or end the process later.
//! So no two apps share one, and a component that a used process does not read is read in a new one.

use std::{sync::Arc, thread, time::Duration};

use sluice_code::CodeTree;
use sluice_model::{CodeError, ComponentShape, RawShape};
use tokio::task::JoinSet;

use crate::{
    deno_process::StartedChild,
    fair_queue::PermitUser,
    inner::Inner,
    load_limit,
    load_message::survey_line,
    loading::{UNEXPECTED, code_error, lay_out, unreadable},
    preload::Preload,
    process_group::kill_group,
    protocol::Message,
    spec::{LoadError, ModuleSpec},
};

/// The time limit for a module, once its process is ready.
const LOAD_TIMEOUT: Duration = Duration::from_secs(4);
/// The number of components that one process reads.
const MAX_GROUP: usize = 16;

/// The number of concurrent processes, over all surveys.
pub(crate) fn max_processes() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
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
        let mut process = None;
        for (number, module) in group {
            let is_used = process.is_some();
            let mut report = self.survey_module(&mut process, &module, user).await;
            if report.is_err() {
                end(process.take()).await;
                if is_used {
                    report = self.survey_module(&mut process, &module, user).await;
                }
            }
            if report.is_err() {
                end(process.take()).await;
            }
            shapes.push((number, report.and_then(|report| report.shape(&module))));
        }
        end(process).await;
        shapes
    }

    /// Reads one component in the given process, or in a new one. After an error the process is not used again.
    async fn survey_module(
        &self,
        process: &mut Option<SurveyProcess>,
        module: &CodeTree,
        user: &PermitUser,
    ) -> Result<Report, LoadError> {
        let process = match process {
            Some(process) => process,
            None => process.insert(self.start_survey(user).await?),
        };
        let files = module.without_packages();
        let started = &mut process.child;
        let folder =
            started
                .folder
                .module(&format!("{}{}", ModuleSpec::COMPONENT, process.modules));
        process.modules += 1;
        let file = lay_out(&folder, &files).await?;
        let line = survey_line(&folder, &file, &files);
        started.channel.send(&line).await?;
        let pid = started.child.id();
        let report = load_limit::within(LOAD_TIMEOUT, pid, self.report(started)).await;
        report.unwrap_or_else(|| Err(too_slow()))
    }

    async fn start_survey(&self, user: &PermitUser) -> Result<SurveyProcess, LoadError> {
        let _permit = self.starting.acquire(user).await;
        let mut child = self.spawn(Preload::Nothing)?;
        if let Some(user) = user {
            child.watchdog.assign(user);
        }
        self.until_ready(&mut child).await?;
        Ok(SurveyProcess { child, modules: 0 })
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
    /// The number of components that it was given.
    modules: usize,
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
