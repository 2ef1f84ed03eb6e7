//! Making one module of a component's files.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use rolldown::{
    Bundler, BundlerBuilder, BundlerOptions, CodeSplittingMode, InlineConstOption, InputItem,
    LogLevel, OptimizationOption, OutputFormat, Platform, SourceMapType, StrictMode,
    TreeshakeOptions, TsConfig,
};
use rolldown_common::{Output, OutputChunk};
use rolldown_error::BuildDiagnostic;
use sluice_model::ModuleFormat;

use crate::{
    BundleFault, FileError, Files, Limits, Location,
    fault::with_addresses,
    graph::Graph,
    plugin::{FilesPlugin, RefusedImport},
    prelude::{prelude, prepend},
    resolve::ResolveError,
    source::{self, SourceKind},
    threads,
};

#[derive(Debug, Clone)]
pub struct BundleOptions {
    pub limits: Limits,
    /// For everything together, fetching included.
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

/// What a source map holds beside the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceMap {
    NamesOnly,
    WithSources,
}

/// A component in one module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    pub code: String,
    /// That of the first file, except that CommonJS which needs an ES module becomes one, with `module.exports` as its
    /// default export.
    pub format: ModuleFormat,
    /// Every file that was read, for watching.
    pub files: Vec<Location>,
    /// A source map, version 3, as JSON.
    pub map: Option<String>,
}

/// Joins `entry` and the files it imports, directly or not. Every fault that can be found is reported.
pub async fn bundle<F: Files>(
    entry: &Location,
    files: F,
    options: BundleOptions,
) -> Result<Bundle, Vec<BundleFault>> {
    let entry = entry.clone();
    let time = options.time;
    let fault = |message: String| Err(vec![BundleFault::of_the_whole(message)]);
    let runtime = match threads::runtime() {
        Ok(runtime) => runtime,
        Err(error) => return fault(format!("no thread can be started: {error}")),
    };
    let bundling = runtime.spawn(async move {
        tokio::time::timeout(time, bundle_in_time(&entry, files, options)).await
    });
    match bundling.await {
        Ok(Ok(result)) => result,
        Ok(Err(_)) => fault(format!(
            "joining the files took longer than {} seconds",
            time.as_secs()
        )),
        Err(_) => fault("the code cannot be bundled".to_owned()),
    }
}

async fn bundle_in_time<F: Files>(
    entry: &Location,
    files: F,
    options: BundleOptions,
) -> Result<Bundle, Vec<BundleFault>> {
    let graph = Arc::new(Graph::new(files, options.limits));
    let mut format = entry_format(&graph, entry)
        .await
        .map_err(|fault| vec![fault])?;
    let mut chunk = join(&graph, entry, format, options.source_map).await?;
    let formats = graph.formats();
    if format == ModuleFormat::CommonJs && formats.contains(&ModuleFormat::EsModule) {
        // An ES module may import what `require` cannot give it as it should be, so that all of it becomes one.
        format = ModuleFormat::EsModule;
        chunk = join(&graph, entry, format, options.source_map).await?;
    }
    let files = graph.locations();
    let mut code = chunk.code;
    let mut map = chunk.map.map(|mut map| {
        let sources: Vec<String> = map
            .get_sources()
            .map(|source| with_addresses(source, &files))
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
) -> Result<OutputChunk, Vec<BundleFault>> {
    let refused: Arc<Mutex<Vec<RefusedImport>>> = Arc::default();
    let plugin = FilesPlugin::new(Arc::clone(graph), entry.clone(), Arc::clone(&refused));
    let made = run(plugin, bundler_options(entry, format, source_map)).await;
    let refused = std::mem::take(&mut *refused.lock());
    match made {
        Ok(chunk) if refused.is_empty() => Ok(chunk),
        made => Err(faults(graph, &refused, &made.err().unwrap_or_default())),
    }
}

async fn entry_format<F: Files>(
    graph: &Graph<F>,
    entry: &Location,
) -> Result<ModuleFormat, BundleFault> {
    let fault = |message: String| BundleFault {
        file: Some(entry.to_string()),
        ..BundleFault::of_the_whole(message)
    };
    let text = graph
        .read(entry)
        .await
        .map_err(|error| fault(error.to_string()))?
        .ok_or_else(|| fault("there is no such file".to_owned()))?;
    let kind = SourceKind::of(entry)
        .ok_or_else(|| fault(ResolveError::NotCode(entry.clone()).to_string()))?;
    Ok(source::module_format(entry, kind, &text))
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
        // Names of modules are relative to this, and nothing is read from it or written to it.
        cwd: Some("/".into()),
        dir: Some("/".to_owned()),
        platform: Some(Platform::Node),
        format: Some(match format {
            ModuleFormat::CommonJs => OutputFormat::Cjs,
            ModuleFormat::EsModule => OutputFormat::Esm,
        }),
        code_splitting: Some(CodeSplittingMode::Bool(false)),
        // Guessing what has no effect can only be wrong, and components are small.
        treeshake: TreeshakeOptions::Boolean(false),
        tsconfig: Some(TsConfig::Auto(false)),
        sourcemap: source_map.map(|_| SourceMapType::Hidden),
        sourcemap_exclude_sources: Some(source_map != Some(SourceMap::WithSources)),
        keep_names: Some(true),
        optimization: Some(OptimizationOption {
            inline_const: Some(InlineConstOption::Bool(false)),
            ..OptimizationOption::default()
        }),
        // The first file's `"use strict"` must not bind the others.
        strict: Some(StrictMode::Never),
        // `require` keeps its name, so that whoever looks for packages in the code finds them: see the prelude.
        polyfill_require: Some(false),
        log_level: Some(LogLevel::Silent),
        ..BundlerOptions::default()
    }
}

fn faults<F: Files>(
    graph: &Graph<F>,
    refused: &[RefusedImport],
    diagnostics: &[BuildDiagnostic],
) -> Vec<BundleFault> {
    let too_much = refused.iter().find_map(|refused| match &refused.error {
        ResolveError::File(error @ FileError::TooMuch(_)) => Some(error),
        _ => None,
    });
    if let Some(error) = too_much {
        return vec![BundleFault::of_the_whole(error.to_string())];
    }
    let of_imports = refused.iter().map(|refused| {
        let text = graph.text(&refused.importer).unwrap_or_default();
        BundleFault::of_import(refused, &text)
    });
    let locations = graph.locations();
    let of_code = diagnostics
        .iter()
        .map(|diagnostic| BundleFault::of_diagnostic(diagnostic, &locations));
    let mut faults: Vec<BundleFault> = of_imports.chain(of_code).collect();
    faults.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    faults.dedup();
    faults
}
