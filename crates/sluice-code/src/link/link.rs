//! Finds the files that a component imports and links them into a tree.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    time::Duration,
};

use futures_util::future::join_all;
use sluice_model::CodeError;

use super::{
    error::Errors,
    files::Files,
    graph::{Graph, Limits},
    resolve::{Resolution, ResolveError},
};
use crate::{
    code_tree::CodeTree,
    file_text::FileText,
    imports::ImportKind,
    layout::has_short_names,
    location::Location,
    module::ParsedModule,
    resolved_file::{FileContents, ResolvedFile},
    sample::{MAX_SAMPLE, sample_locations},
    source_kind::SourceKind,
};

#[derive(Debug, Clone, Copy)]
pub struct LinkOptions {
    /// Limits of all files together.
    pub limits: Limits,
    /// The time limit for a component, fetching included.
    pub time: Duration,
    /// Whether packages without a version have the range of their app's manifest. Otherwise the latest version is meant.
    pub manifests: bool,
    /// Whether a file with a sample event beside the entry is part of the component. To look for it takes several reads.
    pub sample: bool,
}

impl Default for LinkOptions {
    fn default() -> LinkOptions {
        LinkOptions {
            limits: Limits::default(),
            time: Duration::from_mins(1),
            manifests: false,
            sample: false,
        }
    }
}

/// Links the components of a tree. Each file is read and parsed once.
pub struct Linker<F> {
    graph: Graph<F>,
    time: Duration,
    sample: bool,
}

impl<F: Files> Linker<F> {
    pub fn new(files: F, options: LinkOptions) -> Linker<F> {
        Linker {
            graph: Graph::new(files, options.limits, options.manifests),
            time: options.time,
            sample: options.sample,
        }
    }

    /// Reads `entry` and the files that it imports, directly or not. Reports as many errors as possible.
    pub async fn link(&self, entry: &Location) -> Result<CodeTree, Vec<CodeError>> {
        let linking = self.link_in_time(entry);
        let linked = tokio::time::timeout(self.time, linking).await;
        linked.unwrap_or_else(|_| {
            let seconds = self.time.as_secs();
            let message = format!("reading the files took longer than {seconds} seconds");
            Err(vec![CodeError::without_position(message)])
        })
    }

    async fn link_in_time(&self, entry: &Location) -> Result<CodeTree, Vec<CodeError>> {
        let graph = &self.graph;
        let mut errors = Errors::default();
        check_entry(graph, entry, &mut errors).await;
        let mut files = Vec::new();
        let mut known = HashSet::from([entry.clone()]);
        let mut reached = vec![entry.clone()];
        // The files at one distance from the entry are read at the same time.
        while !reached.is_empty() {
            let resolving = reached.iter().map(|location| resolve(graph, location));
            let resolved = join_all(resolving).await;
            reached = Vec::new();
            for (file, targets, mut found) in resolved {
                errors.append(&mut found);
                let targets = targets.into_iter();
                reached.extend(targets.filter(|target| known.insert(target.clone())));
                files.extend(file);
            }
        }
        errors.into_result()?;
        let mut files = files.into_iter();
        let Some(first) = files.next() else {
            return Err(Vec::new());
        };
        let sample = if self.sample {
            sample(graph, entry, &known).await
        } else {
            None
        };
        Ok(CodeTree::link(first, files.collect(), sample))
    }
}

/// Links one component.
pub async fn link<F: Files>(
    entry: &Location,
    files: F,
    options: LinkOptions,
) -> Result<CodeTree, Vec<CodeError>> {
    Linker::new(files, options).link(entry).await
}

async fn check_entry<F: Files>(graph: &Graph<F>, entry: &Location, errors: &mut Errors) {
    match graph.read(entry).await {
        Err(error) => errors.add(entry, error.to_string()),
        Ok(None) => errors.add(entry, "there is no such file".to_owned()),
        Ok(Some(_)) if !matches!(SourceKind::of(entry), Some(SourceKind::Code(_))) => {
            errors.add(entry, ResolveError::NotCode(entry.clone()).to_string());
        }
        Ok(Some(_)) => {}
    }
}

/// A file that was read, the files that it imports, in their order, and its errors.
async fn resolve<F: Files>(
    graph: &Graph<F>,
    location: &Location,
) -> (Option<ResolvedFile>, Vec<Location>, Errors) {
    let mut errors = Errors::default();
    let mut targets = Vec::new();
    let Some(text) = graph.file(location) else {
        return (None, targets, errors);
    };
    if !has_short_names(location.as_str()) {
        errors.add(location, "the name of the file is too long".to_owned());
    }
    let mut packages = BTreeMap::new();
    let (contents, imports) = match &*text {
        FileText::Module(module, format) => {
            let imports = resolve_imports(graph, location, module, &mut errors).await;
            targets.extend(imports.iter().map(|(_, target)| target.clone()));
            if graph.manifests {
                let is_file = |specifier: &str| imports.iter().any(|(name, _)| name == specifier);
                match graph.package_ranges(location, module, is_file).await {
                    Ok(ranges) => packages = ranges,
                    Err(error) => errors.add(location, error.to_string()),
                }
            }
            (FileContents::Module(module.clone(), *format), imports)
        }
        FileText::Json(text) => (FileContents::Json(text.clone()), Vec::new()),
        FileText::Broken(broken) => {
            errors.add_all(location, broken);
            return (None, targets, errors);
        }
        FileText::Other(_) => return (None, targets, errors),
    };
    let imports: HashMap<String, String> = imports
        .into_iter()
        .map(|(specifier, target)| (specifier, target.to_string()))
        .collect();
    let file = ResolvedFile {
        location: location.to_string(),
        contents,
        imports,
        packages,
    };
    (Some(file), targets, errors)
}

/// The file with the sample event, unless the component imports it. One with errors or imports is left out.
async fn sample<F: Files>(
    graph: &Graph<F>,
    entry: &Location,
    known: &HashSet<Location>,
) -> Option<ResolvedFile> {
    for location in sample_locations(entry) {
        if known.contains(&location) {
            return None;
        }
        let Ok(Some(text)) = graph.read(&location).await else {
            continue;
        };
        let contents = match &*text {
            FileText::Module(module, format) if module.imports().is_empty() => {
                FileContents::Module(module.clone(), *format)
            }
            FileText::Json(text) => FileContents::Json(text.clone()),
            _ => return None,
        };
        return (contents.text().len() <= MAX_SAMPLE).then(|| ResolvedFile {
            location: location.to_string(),
            contents,
            imports: HashMap::new(),
            packages: BTreeMap::new(),
        });
    }
    None
}

/// The specifiers that mean files, each with its file.
async fn resolve_imports<F: Files>(
    graph: &Graph<F>,
    location: &Location,
    module: &ParsedModule,
    errors: &mut Errors,
) -> Vec<(String, Location)> {
    let resolving = module.imports().iter().map(async |import| {
        let resolution = graph.resolve(location, &import.specifier).await;
        (import, resolution)
    });
    let mut files = Vec::new();
    for (import, resolution) in join_all(resolving).await {
        match resolution {
            Ok(Resolution::File(target)) => files.push((import.specifier.clone(), target)),
            Ok(Resolution::Package) => {}
            // An import of types leads to nothing that runs.
            Err(ResolveError::NoFile(_))
                if matches!(
                    import.kind,
                    ImportKind::Module {
                        may_be_types: true,
                        ..
                    }
                ) => {}
            Err(error) => errors.add_import(location, module, import.offset, error),
        }
    }
    files
}
