//! Reading the shapes of many components without installing anything: several to a process, with stand-ins for packages.
//!
//! A process is ended by whatever one component does to it or to what all share. That component is read again alone, and
//! what it is then, it is; the others go on in a new process.

use std::{collections::VecDeque, sync::Arc, thread, time::Duration};

use sluice_code::{CodeError, ParsedModule};
use sluice_model::{ComponentShape, ModuleFormat, RawShape};
use tokio::{io::AsyncWriteExt, task::JoinSet};

use crate::{
    load_message::survey_line,
    loading::{code_fault, unreadable, write_module},
    process::{Started, kill_group},
    protocol::{self, Message},
    runtime::{Inner, Runtime},
    spec::{Lines, LoadError, Preload, Role},
};

/// More would make one that ends its process dearer.
const MOST_IN_ONE_PROCESS: usize = 50;
/// For one module, once the process is ready.
const LONGEST_LOAD: Duration = Duration::from_secs(4);

/// A component to be looked at.
pub struct SurveyModule {
    /// JavaScript.
    pub module: ParsedModule,
    pub lines: Lines,
}

/// How many processes are at it at once, over all surveys.
pub(crate) fn at_once() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// A module without its packages.
struct Candidate {
    /// Its place among the modules that were given.
    number: usize,
    code: String,
    format: ModuleFormat,
    lines: Lines,
}

type Found = Result<Box<RawShape>, LoadError>;

/// What came of one process.
struct Sitting {
    /// Of the first modules, in their order.
    found: Vec<Found>,
    /// How it ended before all were read: with the module after those.
    ended_by: Option<Found>,
}

impl Runtime {
    /// The shapes of components, in their order, each as it is without its packages: what they would have given is left out.
    pub async fn survey(
        &self,
        modules: Vec<SurveyModule>,
    ) -> Vec<Result<ComponentShape, LoadError>> {
        let count = modules.len();
        let mut shapes: Vec<Option<Result<ComponentShape, LoadError>>> = Vec::new();
        shapes.resize_with(count, || None);
        let mut readers = JoinSet::new();
        let mut modules: VecDeque<(usize, SurveyModule)> =
            modules.into_iter().enumerate().collect();
        let in_one_process = count.div_ceil(at_once()).min(MOST_IN_ONE_PROCESS);
        while !modules.is_empty() {
            let group = modules.drain(..modules.len().min(in_one_process)).collect();
            let runtime = Arc::clone(&self.0);
            readers.spawn(async move { runtime.survey_group(group).await });
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
}

impl Inner {
    async fn survey_group(
        &self,
        group: Vec<(usize, SurveyModule)>,
    ) -> Vec<(usize, Result<ComponentShape, LoadError>)> {
        let Ok(_turn) = self.surveys.acquire().await else {
            return Vec::new();
        };
        let mut candidates: VecDeque<Candidate> = group.iter().map(Candidate::of).collect();
        let mut shapes = Vec::with_capacity(candidates.len());
        while !candidates.is_empty() {
            let Sitting { found, ended_by } = self.sit(candidates.make_contiguous()).await;
            let was_alone = found.is_empty();
            for shape in found {
                let candidate = candidates.pop_front();
                shapes.extend(candidate.map(|candidate| candidate.judged(shape)));
            }
            let (Some(shape), Some(suspect)) = (ended_by, candidates.pop_front()) else {
                continue;
            };
            let shape = if was_alone {
                shape
            } else {
                self.look_at_one(&suspect).await
            };
            shapes.push(suspect.judged(shape));
        }
        shapes
    }

    async fn look_at_one(&self, candidate: &Candidate) -> Found {
        let Sitting { found, ended_by } = self.sit(std::slice::from_ref(candidate)).await;
        let shape = found.into_iter().next().or(ended_by);
        shape.unwrap_or_else(|| Err(unreadable("it reported nothing")))
    }

    /// Reads modules in a process of their own, as far as it gets.
    async fn sit(&self, candidates: &[Candidate]) -> Sitting {
        let mut found = Vec::with_capacity(candidates.len());
        let mut started = match self.start_survey(candidates).await {
            Ok(started) => started,
            Err(error) => {
                let ended_by = Some(Err(error));
                return Sitting { found, ended_by };
            }
        };
        let mut ended_by = None;
        while found.len() < candidates.len() && ended_by.is_none() {
            let report = tokio::time::timeout(LONGEST_LOAD, self.next_report(&mut started)).await;
            match report {
                Ok(Ok(Report {
                    shape,
                    spoiled: false,
                })) => found.push(shape),
                Ok(Ok(Report { shape, .. })) => ended_by = Some(shape),
                Ok(Err(error)) => ended_by = Some(Err(error)),
                Err(_) => ended_by = Some(Err(too_slow())),
            }
        }
        kill_group(&started.child);
        let _ = started.child.wait().await;
        Sitting { found, ended_by }
    }

    async fn start_survey(&self, candidates: &[Candidate]) -> Result<Started, LoadError> {
        let slot = self.starting.acquire().await;
        let _slot = slot.map_err(|error| LoadError::Start(error.to_string()))?;
        let mut started = self.spawn(Preload::Nothing)?;
        let mut files = Vec::with_capacity(candidates.len());
        for (number, Candidate { code, format, .. }) in candidates.iter().enumerate() {
            let folder = started.folder.module(&number.to_string());
            files.push(write_module(&folder, Role::Component.module_name(), code, *format).await?);
        }
        self.until_ready(&mut started).await?;
        started
            .stdin
            .write_all(survey_line(&files).as_bytes())
            .await?;
        Ok(started)
    }

    async fn next_report(&self, started: &mut Started) -> Result<Report, LoadError> {
        loop {
            while let Some(line) = started.stdout.next_line() {
                let text = str::from_utf8(&line).map_err(|error| unreadable(&error.to_string()))?;
                match protocol::parse(text).map_err(|error| unreadable(&error))? {
                    Message::Surveyed { shape, spoiled } => {
                        let shape = shape.map_err(|fault| LoadError::Code(vec![fault]));
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
    shape: Found,
    /// Whether the process is not what it was any more.
    spoiled: bool,
}

impl Candidate {
    fn of((number, SurveyModule { module, lines }): &(usize, SurveyModule)) -> Candidate {
        Candidate {
            number: *number,
            code: module.without_packages(),
            format: module.format(),
            lines: *lines,
        }
    }

    fn judged(self, shape: Found) -> (usize, Result<ComponentShape, LoadError>) {
        let shape = shape.and_then(|shape| {
            shape.check(self.format).map_err(|faults| {
                LoadError::Code(
                    faults
                        .into_iter()
                        .map(CodeError::without_position)
                        .collect(),
                )
            })
        });
        let shape = shape.map_err(|error| match self.lines {
            Lines::Written => error,
            Lines::Built => error.without_built_lines(),
        });
        (self.number, shape)
    }
}

fn too_slow() -> LoadError {
    code_fault(format!(
        "loading took longer than {} s",
        LONGEST_LOAD.as_secs()
    ))
}
