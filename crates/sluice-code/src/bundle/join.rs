//! Joins the files of a component into one module.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use rolldown::{
    Bundler, BundlerBuilder, BundlerOptions, CodeSplittingMode, InlineConstOption, InputItem,
    LogLevel, OptimizationOption, OutputFormat, Platform, SourceMapType, StrictMode,
    TreeshakeOptions, TsConfig,
};
use rolldown_common::{Output, OutputChunk};
use rolldown_error::BuildDiagnostic;
use sluice_model::{CodeError, ModuleFormat};

use super::{
    error::{diagnostic_error, import_error, syntax_error, with_urls},
    files::{FileError, Files},
    graph::{Graph, Limits},
    location::Location,
    plugin::{FilesPlugin, UnresolvedImport},
    prelude::{prelude, prepend},
    resolve::ResolveError,
    source::SourceKind,
    threads,
};

#[derive(Debug, Clone)]
pub struct BundleOptions {
    pub limits: Limits,
    /// The time limit for everything, fetching included.
    pub time: Duration,
    pub source_map: Option<SourceMap>,
}

impl Default for BundleOptions {
    fn default() -> BundleOptions {
        BundleOptions {
            limits: Limits::default(),
            time: Duration::from_mins(1),
            source_map: None,
        }
    }
}

/// The contents of a source map beside the mappings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceMap {
    NamesOnly,
    WithSources,
}

/// A component in one module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    pub code: String,
    /// The format of the first file, except that CommonJS that imports an ES module becomes one, with `module.exports` as
    /// its default export.
    pub format: ModuleFormat,
    /// Every file that was read, for example to watch them.
    pub files: Vec<Location>,
    /// A source map, version 3, as JSON.
    pub map: Option<String>,
}

/// Joins `entry` and the files it imports, directly or not. Reports as many errors as possible.
pub async fn bundle<F: Files>(
    entry: &Location,
    files: F,
    options: BundleOptions,
) -> Result<Bundle, Vec<CodeError>> {
    let entry = entry.clone();
    let time = options.time;
    let failed = |message: String| Err(vec![CodeError::without_position(message)]);
    let runtime = match threads::runtime() {
        Ok(runtime) => runtime,
        Err(error) => return failed(format!("no thread can be started: {error}")),
    };
    let bundling = runtime.spawn(async move {
        tokio::time::timeout(time, bundle_in_time(&entry, files, options)).await
    });
    match bundling.await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => failed(format!(
            "joining the files took longer than {} seconds",
            time.as_secs()
        )),
        Err(_) => failed("the code cannot be bundled".to_owned()),
    }
}

async fn bundle_in_time<F: Files>(
    entry: &Location,
    files: F,
    options: BundleOptions,
) -> Result<Bundle, Vec<CodeError>> {
    let graph = Arc::new(Graph::new(files, options.limits));
    let mut format = entry_format(&graph, entry).await?;
    let mut chunk = join(&graph, entry, format, options.source_map).await?;
    let formats = graph.formats();
    if format == ModuleFormat::CommonJs && formats.contains(&ModuleFormat::EsModule) {
        // An ES module may import modules that `require` cannot load correctly, so the whole bundle becomes one.
        format = ModuleFormat::EsModule;
        chunk = join(&graph, entry, format, options.source_map).await?;
    }
    let files = graph.locations();
    let mut code = chunk.code;
    let mut map = chunk.map.map(|mut map| {
        let sources: Vec<String> = map
            .get_sources()
            .map(|source| with_urls(source, &files))
            .collect();
        map.set_sources(sources);
        map.to_json_string()
    });
    if format == ModuleFormat::EsModule
        && formats.contains(&ModuleFormat::CommonJs)
        && let Some(line) = prelude(&code)
    {
        prepend(&line, &mut code, map.as_mut());
    }
    Ok(Bundle {
        code,
        format,
        files,
        map,
    })
}

async fn join<F: Files>(
    graph: &Arc<Graph<F>>,
    entry: &Location,
    format: ModuleFormat,
    source_map: Option<SourceMap>,
) -> Result<OutputChunk, Vec<CodeError>> {
    let unresolved: Arc<Mutex<Vec<UnresolvedImport>>> = Arc::default();
    let plugin = FilesPlugin::new(Arc::clone(graph), entry.clone(), Arc::clone(&unresolved));
    let result = run(plugin, bundler_options(entry, format, source_map)).await;
    let unresolved = std::mem::take(&mut *unresolved.lock());
    let errors = errors(graph, &unresolved, result.as_ref().err());
    match result {
        Ok(chunk) if errors.is_empty() => Ok(chunk),
        _ => Err(errors),
    }
}

async fn entry_format<F: Files>(
    graph: &Graph<F>,
    entry: &Location,
) -> Result<ModuleFormat, Vec<CodeError>> {
    let failed = |message: String| {
        vec![CodeError {
            file: Some(entry.to_string()),
            ..CodeError::without_position(message)
        }]
    };
    let file = graph
        .read(entry)
        .await
        .map_err(|error| failed(error.to_string()))?
        .ok_or_else(|| failed("there is no such file".to_owned()))?;
    if SourceKind::of(entry).is_none() {
        return Err(failed(ResolveError::NotCode(entry.clone()).to_string()));
    }
    if !file.syntax_errors.is_empty() {
        return Err(syntax_errors(graph).collect());
    }
    Ok(file.format.unwrap_or(ModuleFormat::EsModule))
}

async fn run<F: Files>(
    plugin: FilesPlugin<F>,
    options: BundlerOptions,
) -> Result<OutputChunk, Vec<BuildDiagnostic>> {
    let mut bundler: Bundler = BundlerBuilder::default()
        .with_options(options)
        .with_plugins(vec![Arc::new(plugin)])
        .build()
        .map_err(rolldown_error::BatchedBuildDiagnostic::into_vec)?;
    let output = bundler
        .generate()
        .await
        .map_err(rolldown_error::BatchedBuildDiagnostic::into_vec)?;
    output
        .assets
        .into_iter()
        .find_map(|asset| match asset {
            Output::Chunk(chunk) => Some(Arc::unwrap_or_clone(chunk)),
            Output::Asset(_) => None,
        })
        .ok_or_else(Vec::new)
}

fn bundler_options(
    entry: &Location,
    format: ModuleFormat,
    source_map: Option<SourceMap>,
) -> BundlerOptions {
    BundlerOptions {
        input: Some(vec![InputItem {
            name: Some("component".to_owned()),
            import: entry.module_id(),
        }]),
        // Module names are relative to this. Nothing is read from it or written to it.
        cwd: Some("/".into()),
        dir: Some("/".to_owned()),
        platform: Some(Platform::Node),
        format: Some(match format {
            ModuleFormat::CommonJs => OutputFormat::Cjs,
            ModuleFormat::EsModule => OutputFormat::Esm,
        }),
        code_splitting: Some(CodeSplittingMode::Bool(false)),
        // Components are small, and wrong guesses about side effects would break them.
        treeshake: TreeshakeOptions::Boolean(false),
        tsconfig: Some(TsConfig::Auto(false)),
        sourcemap: source_map.map(|_| SourceMapType::Hidden),
        sourcemap_exclude_sources: Some(source_map != Some(SourceMap::WithSources)),
        keep_names: Some(true),
        optimization: Some(OptimizationOption {
            inline_const: Some(InlineConstOption::Bool(false)),
            ..OptimizationOption::default()
        }),
        // `"use strict"` of the first file must not apply to the others.
        strict: Some(StrictMode::Never),
        // `require` keeps its name, so that packages can be found in the code; see the prelude.
        polyfill_require: Some(false),
        log_level: Some(LogLevel::Silent),
        ..BundlerOptions::default()
    }
}

fn errors<F: Files>(
    graph: &Graph<F>,
    unresolved: &[UnresolvedImport],
    diagnostics: Option<&Vec<BuildDiagnostic>>,
) -> Vec<CodeError> {
    let over_limit = unresolved.iter().find_map(|import| match &import.error {
        ResolveError::File(error @ FileError::TooMuch(_)) => Some(error),
        _ => None,
    });
    if let Some(error) = over_limit {
        return vec![CodeError::without_position(error.to_string())];
    }
    let of_imports = unresolved.iter().map(|import| {
        let importer = graph.file(&import.importer);
        import_error(import, importer.as_deref())
    });
    let locations = graph.locations();
    let diagnostics = diagnostics.into_iter().flatten();
    let of_bundler = diagnostics.map(|diagnostic| diagnostic_error(diagnostic, &locations));
    let mut errors: Vec<CodeError> = of_imports
        .chain(syntax_errors(graph))
        .chain(of_bundler)
        .collect();
    errors.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    errors.dedup();
    errors
}

/// The errors of all files that were read and do not parse.
fn syntax_errors<F: Files>(graph: &Graph<F>) -> impl Iterator<Item = CodeError> {
    let locations = graph.locations().into_iter();
    locations.flat_map(|location| {
        let file = graph.file(&location);
        let errors = file.map(|file| file.syntax_errors.clone());
        let errors = errors.unwrap_or_default().into_iter();
        errors.map(move |error| syntax_error(&location, &error))
    })
}
