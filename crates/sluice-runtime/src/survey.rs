//! Reads the shapes of many components without installing packages: each in a process of its own, with stand-ins for
//! packages.
//!
//! In a shared process one component could change prototypes and Node modules that the next one uses, or report in its
//! place. The channel of its own process is what makes a report attributable: the first one counts, and the process ends.

use std::{sync::Arc, thread, time::Duration};

use sluice_code::CodeTree;
use sluice_model::{CodeError, ComponentShape, RawShape};
use tokio::task::JoinSet;

use crate::{
    deno_process::StartedChild,
    fair_queue::PermitUser,
    inner::Inner,
    load_message::survey_line,
    loading::{UNEXPECTED, code_error, lay_out, unreadable},
    preload::Preload,
    process_group::kill_group,
    protocol::Message,
    spec::{LoadError, ModuleSpec},
};

/// The time limit for a module, once its process is ready.
const LOAD_TIMEOUT: Duration = Duration::from_secs(4);

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
    for (number, module) in modules.into_iter().enumerate() {
        let (inner, user) = (Arc::clone(inner), user.clone());
        readers.spawn(async move { (number, inner.survey_module(&module, &user).await) });
    }
    while let Some(read) = readers.join_next().await {
        if let Ok((number, shape)) = read {
            shapes[number] = Some(shape);
        }
    }
    let lost = || Err(LoadError::Start("its reader failed".to_owned()));
    shapes
        .into_iter()
        .map(|shape| shape.unwrap_or_else(lost))
        .collect()
}

impl Inner {
    async fn survey_module(
        &self,
        module: &CodeTree,
        user: &PermitUser,
    ) -> Result<ComponentShape, LoadError> {
        let _permit = self.surveys.acquire(user).await;
        let shape = self.survey_in_process(module, user).await?;
        shape.check(module.format()).map_err(|errors| {
            let errors = errors.into_iter().map(CodeError::without_position);
            LoadError::Code(errors.collect())
        })
    }

    async fn survey_in_process(
        &self,
        module: &CodeTree,
        user: &PermitUser,
    ) -> Result<RawShape, LoadError> {
        let mut started = self.start_survey(module, user).await?;
        let report = tokio::time::timeout(LOAD_TIMEOUT, self.report(&mut started)).await;
        kill_group(&started.child);
        let _ = started.child.wait().await;
        report.unwrap_or_else(|_| Err(too_slow()))
    }

    async fn start_survey(
        &self,
        module: &CodeTree,
        user: &PermitUser,
    ) -> Result<StartedChild, LoadError> {
        let _permit = self.starting.acquire(user).await;
        let mut started = self.spawn(Preload::Nothing)?;
        let files = module.without_packages();
        let folder = started.folder.module(ModuleSpec::COMPONENT);
        let file = lay_out(&folder, &files).await?;
        self.until_ready(&mut started).await?;
        let line = survey_line(&folder, &file, &files);
        started.channel.send(&line).await?;
        Ok(started)
    }

    /// The first report of a process. Later ones are not read.
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

fn too_slow() -> LoadError {
    code_error(format!(
        "loading took longer than {} s",
        LOAD_TIMEOUT.as_secs()
    ))
}
