//! Reads the shapes of many components without installing packages, with stand-ins for packages. Components of one app share a
//! process, because starting one costs more than reading a shape.
//!
//! In a shared process one component could change prototypes and Node modules that the next one uses, or report in its
//! place. So no two apps share one, and a process ends after an error.

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
            let shape = self
                .survey_module(&mut process, number, &module, user)
                .await;
            if shape.is_err() {
                end(process.take()).await;
            }
            shapes.push((number, shape));
        }
        end(process).await;
        shapes
    }

    /// Reads one component in the given process, or in a new one.
    async fn survey_module(
        &self,
        process: &mut Option<StartedChild>,
        number: usize,
        module: &CodeTree,
        user: &PermitUser,
    ) -> Result<ComponentShape, LoadError> {
        let started = match process {
            Some(started) => started,
            None => process.insert(self.start_survey(user).await?),
        };
        let files = module.without_packages();
        let folder = started
            .folder
            .module(&format!("{}{number}", ModuleSpec::COMPONENT));
        let file = lay_out(&folder, &files).await?;
        let line = survey_line(&folder, &file, &files);
        started.channel.send(&line).await?;
        let pid = started.child.id();
        let report = load_limit::within(LOAD_TIMEOUT, pid, self.report(started)).await;
        let shape = report.unwrap_or_else(|| Err(too_slow()))?;
        shape.check(module.format()).map_err(|errors| {
            let errors = errors.into_iter().map(CodeError::without_position);
            LoadError::Code(errors.collect())
        })
    }

    async fn start_survey(&self, user: &PermitUser) -> Result<StartedChild, LoadError> {
        let _permit = self.starting.acquire(user).await;
        let mut started = self.spawn(Preload::Nothing)?;
        self.until_ready(&mut started).await?;
        Ok(started)
    }

    /// The next report of a process.
    async fn report(&self, started: &mut StartedChild) -> Result<RawShape, LoadError> {
        loop {
            match self.next_message(started).await? {
                Message::Loaded(mut shapes) => {
                    let shape = shapes.pop().filter(|_| shapes.is_empty());
                    return shape.ok_or_else(|| unreadable("it reported no shape of its own"));
                }
                Message::Failed(error, _) => return Err(LoadError::Code(vec![error])),
                Message::Log(..) => {}
                _ => return Err(unreadable(UNEXPECTED)),
            }
        }
    }
}

async fn end(process: Option<StartedChild>) {
    if let Some(mut started) = process {
        kill_group(&started.child);
        let _ = started.child.wait().await;
    }
}

fn too_slow() -> LoadError {
    code_error(format!(
        "loading took longer than {} s",
        LOAD_TIMEOUT.as_secs()
    ))
}
