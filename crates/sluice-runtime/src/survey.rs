//! Reads the shapes of many components without installing packages: several per process, with stand-ins for packages.
//!
//! If a component ends the process or changes its shared state, it is read again alone, and that result counts. The other
//! components continue in a new process.

use std::{collections::VecDeque, sync::Arc, thread, time::Duration};

use sluice_code::CodeTree;
use sluice_model::{CodeError, CodeFiles, ComponentShape, ModuleFormat, RawShape};
use tokio::{io::AsyncWriteExt, task::JoinSet};

use crate::{
    deno_process::{StartedChild, kill_group},
    inner::Inner,
    load_message::survey_line,
    loading::{code_error, lay_out, unreadable},
    protocol::{self, Message},
    spec::{LoadError, Preload},
};

/// With more modules per process, one that ends its process would cost more.
const MAX_PER_PROCESS: usize = 50;
/// The time limit for one module, once the process is ready.
const LOAD_TIMEOUT: Duration = Duration::from_secs(4);

/// The number of concurrent processes, over all surveys.
pub(crate) fn max_processes() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A component without its packages.
struct Candidate {
    /// Its index among the components of the survey.
    number: usize,
    files: CodeFiles,
    format: ModuleFormat,
}

type ShapeResult = Result<Box<RawShape>, LoadError>;

/// The results of one process.
struct ProcessResults {
    /// Of the first modules, in their order.
    shapes: Vec<ShapeResult>,
    /// Of the module after those, if it ended the process.
    ended_by: Option<ShapeResult>,
}

/// The shapes of components, in their order, without values from their packages.
pub(crate) async fn survey(
    inner: &Arc<Inner>,
    modules: Vec<CodeTree>,
) -> Vec<Result<ComponentShape, LoadError>> {
    let count = modules.len();
    let mut shapes: Vec<Option<Result<ComponentShape, LoadError>>> = Vec::new();
    shapes.resize_with(count, || None);
    let mut readers = JoinSet::new();
    let mut modules: VecDeque<(usize, CodeTree)> = modules.into_iter().enumerate().collect();
    let per_process = count.div_ceil(max_processes()).min(MAX_PER_PROCESS);
    while !modules.is_empty() {
        let group = modules.drain(..modules.len().min(per_process)).collect();
        let inner = Arc::clone(inner);
        readers.spawn(async move { inner.survey_group(group).await });
    }
    while let Some(read) = readers.join_next().await {
        for (number, shape) in read.unwrap_or_default() {
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
    async fn survey_group(
        &self,
        group: Vec<(usize, CodeTree)>,
    ) -> Vec<(usize, Result<ComponentShape, LoadError>)> {
        let Ok(_permit) = self.surveys.acquire().await else {
            return Vec::new();
        };
        let mut candidates: VecDeque<Candidate> = group.iter().map(Candidate::of).collect();
        let mut shapes = Vec::with_capacity(candidates.len());
        while !candidates.is_empty() {
            let ProcessResults {
                shapes: results,
                ended_by,
            } = self.survey_in_process(candidates.make_contiguous()).await;
            let was_alone = results.is_empty();
            for shape in results {
                let candidate = candidates.pop_front();
                shapes.extend(candidate.map(|candidate| candidate.checked(shape)));
            }
            let (Some(shape), Some(suspect)) = (ended_by, candidates.pop_front()) else {
                continue;
            };
            let shape = if was_alone {
                shape
            } else {
                self.survey_alone(&suspect).await
            };
            shapes.push(suspect.checked(shape));
        }
        shapes
    }

    async fn survey_alone(&self, candidate: &Candidate) -> ShapeResult {
        let ProcessResults {
            shapes: results,
            ended_by,
        } = self
            .survey_in_process(std::slice::from_ref(candidate))
            .await;
        let shape = results.into_iter().next().or(ended_by);
        shape.unwrap_or_else(|| Err(unreadable("it reported nothing")))
    }

    /// Reads modules in one process until one of them ends it.
    async fn survey_in_process(&self, candidates: &[Candidate]) -> ProcessResults {
        let mut shapes = Vec::with_capacity(candidates.len());
        let mut started = match self.start_survey(candidates).await {
            Ok(started) => started,
            Err(error) => {
                let ended_by = Some(Err(error));
                return ProcessResults { shapes, ended_by };
            }
        };
        let mut ended_by = None;
        while shapes.len() < candidates.len() && ended_by.is_none() {
            let report = tokio::time::timeout(LOAD_TIMEOUT, self.next_report(&mut started)).await;
            match report {
                Ok(Ok(Report {
                    shape,
                    spoiled: false,
                })) => shapes.push(shape),
                Ok(Ok(Report { shape, .. })) => ended_by = Some(shape),
                Ok(Err(error)) => ended_by = Some(Err(error)),
                Err(_) => ended_by = Some(Err(too_slow())),
            }
        }
        kill_group(&started.child);
        let _ = started.child.wait().await;
        ProcessResults { shapes, ended_by }
    }

    async fn start_survey(&self, candidates: &[Candidate]) -> Result<StartedChild, LoadError> {
        let permit = self.starting.acquire().await;
        let _permit = permit.map_err(|error| LoadError::Start(error.to_string()))?;
        let mut started = self.spawn(Preload::Nothing)?;
        let mut modules = Vec::with_capacity(candidates.len());
        for (number, Candidate { files, .. }) in candidates.iter().enumerate() {
            let folder = started.folder.module(&number.to_string());
            let file = lay_out(&folder, files).await?;
            modules.push((folder, file, files));
        }
        self.until_ready(&mut started).await?;
        started
            .stdin
            .write_all(survey_line(&modules).as_bytes())
            .await?;
        Ok(started)
    }

    async fn next_report(&self, started: &mut StartedChild) -> Result<Report, LoadError> {
        loop {
            while let Some(line) = started.stdout.next_line() {
                let text = str::from_utf8(&line).map_err(|error| unreadable(&error.to_string()))?;
                match protocol::parse(text).map_err(|error| unreadable(&error))? {
                    Message::Surveyed { shape, spoiled } => {
                        let shape = shape.map_err(|error| LoadError::Code(vec![error]));
                        return Ok(Report { shape, spoiled });
                    }
                    Message::Log(..) => {}
                    _ => return Err(unreadable("it reported work it was not given")),
                }
            }
            if !started.stdout.fill().await? {
                return Err(self.died(started).await);
            }
        }
    }
}

struct Report {
    shape: ShapeResult,
    /// Whether the module changed the shared state of the process.
    spoiled: bool,
}

impl Candidate {
    fn of((number, tree): &(usize, CodeTree)) -> Candidate {
        Candidate {
            number: *number,
            files: tree.without_packages(),
            format: tree.format(),
        }
    }

    fn checked(self, shape: ShapeResult) -> (usize, Result<ComponentShape, LoadError>) {
        let shape = shape.and_then(|shape| {
            shape.check(self.format).map_err(|errors| {
                LoadError::Code(
                    errors
                        .into_iter()
                        .map(CodeError::without_position)
                        .collect(),
                )
            })
        });
        (self.number, shape)
    }
}

fn too_slow() -> LoadError {
    code_error(format!(
        "loading took longer than {} s",
        LOAD_TIMEOUT.as_secs()
    ))
}
