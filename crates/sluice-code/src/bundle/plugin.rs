//! The bundler's access to files. It resolves each import and loads each file through this plugin, and never touches a disk
//! or a network itself.

use std::{borrow::Cow, fmt, sync::Arc};

use anyhow::Context as _;
use parking_lot::Mutex;
use rolldown::plugin::{
    HookLoadArgs, HookLoadOutput, HookLoadReturn, HookResolveIdArgs, HookResolveIdOutput,
    HookResolveIdReturn, HookUsage, Plugin, PluginContext, SharedLoadPluginContext,
};
use rolldown_common::ResolvedExternal;

use super::{
    files::Files,
    graph::Graph,
    location::Location,
    resolve::{Resolution, ResolveError},
    source::SourceKind,
};

/// The bundler's own helpers, which it loads itself.
const HELPERS: &str = "\0rolldown/";

/// An import that cannot be resolved.
pub(crate) struct UnresolvedImport {
    pub(crate) importer: Location,
    pub(crate) specifier: String,
    pub(crate) error: ResolveError,
}

pub(crate) struct FilesPlugin<F> {
    graph: Arc<Graph<F>>,
    entry: Location,
    unresolved: Arc<Mutex<Vec<UnresolvedImport>>>,
}

impl<F: Files> FilesPlugin<F> {
    pub(crate) fn new(
        graph: Arc<Graph<F>>,
        entry: Location,
        unresolved: Arc<Mutex<Vec<UnresolvedImport>>>,
    ) -> FilesPlugin<F> {
        FilesPlugin {
            graph,
            entry,
            unresolved,
        }
    }

    async fn resolution(&self, importer: &str, specifier: &str) -> Resolution {
        if importer.starts_with(HELPERS) {
            return Resolution::Package;
        }
        let importer = Location::of_module(importer);
        match self.graph.resolve(&importer, specifier).await {
            // The bundler continues without files that do not parse, so that all errors are found at once.
            Ok(Resolution::File(location)) if self.graph.is_broken(&location) => {
                Resolution::Package
            }
            Ok(resolution) => resolution,
            Err(error) => {
                self.unresolved.lock().push(UnresolvedImport {
                    importer,
                    specifier: specifier.to_owned(),
                    error,
                });
                Resolution::Package
            }
        }
    }
}

impl<F> fmt::Debug for FilesPlugin<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FilesPlugin")
            .finish_non_exhaustive()
    }
}

impl<F: Files> Plugin for FilesPlugin<F> {
    fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed("files")
    }

    fn register_hook_usage(&self) -> HookUsage {
        HookUsage::ResolveId | HookUsage::Load
    }

    async fn resolve_id(
        &self,
        _context: &PluginContext,
        args: &HookResolveIdArgs<'_>,
    ) -> HookResolveIdReturn {
        if args.specifier.starts_with(HELPERS) {
            return Ok(None);
        }
        let resolution = match args.importer {
            None => Resolution::File(self.entry.clone()),
            Some(importer) => self.resolution(importer, args.specifier).await,
        };
        Ok(Some(match resolution {
            Resolution::File(location) => HookResolveIdOutput::from_id(location.module_id()),
            Resolution::Package => HookResolveIdOutput {
                id: args.specifier.into(),
                external: Some(ResolvedExternal::Bool(true)),
                normalize_external_id: Some(false),
                ..HookResolveIdOutput::default()
            },
        }))
    }

    async fn load(
        &self,
        _context: SharedLoadPluginContext,
        args: &HookLoadArgs<'_>,
    ) -> HookLoadReturn {
        if args.id.starts_with(HELPERS) {
            return Ok(None);
        }
        let location = Location::of_module(args.id);
        let file = self
            .graph
            .file(&location)
            .with_context(|| format!("{location} was not read"))?;
        Ok(Some(HookLoadOutput {
            code: (*file.text).into(),
            module_type: SourceKind::of(&location).map(Into::into),
            ..HookLoadOutput::default()
        }))
    }
}
