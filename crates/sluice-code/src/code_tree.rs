//! The files of a component, with their imports linked to one another.

use std::{collections::HashMap, sync::Arc};

use sluice_model::{CodeError, CodeFile, CodeFiles, FileLink, ModuleFormat, RawShape};

use crate::{
    auth::{AuthFields, FileReads},
    file_text::FileText,
    imports::Import,
    language::Language,
    layout::Layout,
    location::Location,
    module::{PackageImport, ParsedModule},
    resolved_file::{FileContents, ResolvedFile},
    specifier::Specifier,
    static_shape::{SourceFile, SourceFiles, shape_of},
};

/// A component that is ready to run, except for its packages.
#[derive(Debug, Clone)]
pub struct CodeTree {
    entry: TreeFile,
    others: Vec<TreeFile>,
    format: ModuleFormat,
    auth_fields: AuthFields,
}

/// A file of a tree.
#[derive(Debug, Clone)]
struct TreeFile {
    link: FileLink,
    contents: FileContents,
    /// The specifiers of its imports that mean files of the tree, with the locations of these files if they are known.
    file_imports: HashMap<String, Option<String>>,
}

impl CodeTree {
    /// A module that imports no other file.
    pub fn single(module: ParsedModule) -> CodeTree {
        let format = module.format();
        let link = match (module.language(), format) {
            (Language::JavaScript, ModuleFormat::CommonJs) => FileLink::unnamed("cjs"),
            (Language::JavaScript, ModuleFormat::EsModule) => FileLink::unnamed("mjs"),
            (Language::TypeScript, ModuleFormat::EsModule) => FileLink::unnamed("ts"),
            (Language::TypeScript, ModuleFormat::CommonJs) => FileLink {
                path: FileLink::unnamed("cts").path,
                ..FileLink::unnamed("ts")
            },
        };
        CodeTree {
            auth_fields: auth_fields([(&link.path, &module, &HashMap::new())]),
            entry: TreeFile {
                link: FileLink {
                    edits: module.edits().to_vec(),
                    ..link
                },
                contents: FileContents::Module(module, format),
                file_imports: HashMap::new(),
            },
            others: Vec::new(),
            format,
        }
    }

    /// Links files to one another. A sample is a file that none of them imports.
    pub(crate) fn link(
        mut entry: ResolvedFile,
        mut others: Vec<ResolvedFile>,
        sample: Option<ResolvedFile>,
    ) -> CodeTree {
        if let FileContents::Module(module, format) = &mut entry.contents
            && others.is_empty()
        {
            // The name of a single file decides nothing: many are CommonJS in spite of it.
            *format = module.format();
        }
        others.extend(sample);
        let files = || std::iter::once(&entry).chain(&others);
        let auth_fields = auth_fields(files().filter_map(|file| {
            let module = file.contents.module()?;
            Some((&file.location, module, &file.imports))
        }));
        let layout = Layout::of(files());
        let link = |file: ResolvedFile| TreeFile {
            link: layout.link(&file),
            contents: file.contents,
            file_imports: file
                .imports
                .into_iter()
                .map(|(specifier, target)| (specifier, Some(target)))
                .collect(),
        };
        let format = entry.contents.format();
        CodeTree {
            entry: link(entry),
            others: others.into_iter().map(link).collect(),
            format,
            auth_fields,
        }
    }

    /// Parses files that were linked before.
    pub fn parse(files: &CodeFiles) -> Result<CodeTree, Vec<CodeError>> {
        let entry = TreeFile::parse(&files.entry)?;
        let others = files.others.iter().map(TreeFile::parse);
        let others: Vec<TreeFile> = others.collect::<Result<_, _>>()?;
        let all = std::iter::once(&entry).chain(&others);
        let no_imports = HashMap::new();
        Ok(CodeTree {
            auth_fields: auth_fields(all.filter_map(|file| {
                let module = file.contents.module()?;
                Some((&file.link.location, module, &no_imports))
            })),
            format: entry.contents.format(),
            entry,
            others,
        })
    }

    fn files(&self) -> impl Iterator<Item = &TreeFile> {
        std::iter::once(&self.entry).chain(&self.others)
    }

    /// The texts of all files.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.files().map(|file| &**file.contents.text())
    }

    /// The text of the entry.
    pub fn code(&self) -> &Arc<str> {
        self.entry.contents.text()
    }

    /// The format of the entry.
    pub fn format(&self) -> ModuleFormat {
        self.format
    }

    /// The locations of all files, the entry's first.
    pub fn locations(&self) -> impl Iterator<Item = &str> {
        self.files().map(|file| file.link.location.as_str())
    }

    /// Each package once, where it is imported first.
    pub fn packages(&self) -> Vec<PackageImport> {
        let mut packages: Vec<PackageImport> = Vec::new();
        for (number, file) in self.files().enumerate() {
            let Some(module) = file.contents.module() else {
                continue;
            };
            let location = (number > 0).then(|| file.link.location.clone());
            for package in
                module.packages_except(|specifier| file.file_imports.contains_key(specifier))
            {
                // Packages with the same alias share a folder, so the first range counts.
                let alias = package.request.alias();
                if packages.iter().all(|known| known.request.alias() != alias) {
                    let range = file.link.packages.get(package.request.name());
                    packages.push(PackageImport {
                        request: package.request.with_range(range),
                        file: location.clone(),
                        ..package
                    });
                }
            }
        }
        packages
    }

    /// The credential fields that the code reads.
    pub fn auth_fields(&self) -> &AuthFields {
        &self.auth_fields
    }

    /// The files as they run.
    pub fn to_files(&self) -> CodeFiles {
        CodeFiles {
            entry: self.entry.to_file(),
            others: self.others.iter().map(TreeFile::to_file).collect(),
        }
    }

    /// The shape that the component has without values from its packages, if it is known without running the code.
    pub fn static_shape(&self) -> Option<RawShape> {
        let others = self.others.iter().filter_map(|file| {
            let is_module = file.contents.format() == ModuleFormat::EsModule;
            // What a module sees of CommonJS is up to the runtime.
            is_module.then(|| file.source()).flatten()
        });
        let files: SourceFiles<'_> = self.entry.source().into_iter().chain(others).collect();
        shape_of(&files, &self.entry.link.location)
    }

    /// The files with a stand-in for everything that they import from packages. Every line stays where it is.
    pub fn without_packages(&self) -> CodeFiles {
        let others = self.others.iter();
        CodeFiles {
            entry: self.entry.without_packages(),
            others: others.map(TreeFile::without_packages).collect(),
        }
    }
}

/// The credential fields that modules read. Each has its location and those of its imports.
fn auth_fields<'f>(
    modules: impl IntoIterator<Item = (&'f String, &'f ParsedModule, &'f HashMap<String, String>)>,
) -> AuthFields {
    let files = modules.into_iter();
    AuthFields::of(files.map(|(location, module, imports)| FileReads {
        location,
        auth: module.auth(),
        imports,
    }))
}

impl TreeFile {
    fn parse(file: &CodeFile) -> Result<TreeFile, Vec<CodeError>> {
        let CodeFile { link, text } = file;
        let contents = match FileText::parse(&Location::new(&*link.location), Arc::clone(text)) {
            FileText::Module(module, format) => FileContents::Module(module, format),
            FileText::Json(text) | FileText::Other(text) => FileContents::Json(text),
            FileText::Broken(errors) => return Err(errors),
        };
        let imports = contents.module().map(ParsedModule::imports);
        let is_file = |import: &&Import| {
            let is_edited = link.edits.iter().any(|edit| edit.start == import.offset);
            is_edited || Specifier::parse(&import.specifier) == Specifier::Relative
        };
        let file_imports = imports.unwrap_or_default().iter().filter(is_file);
        Ok(TreeFile {
            link: link.clone(),
            file_imports: file_imports
                .map(|import| (import.specifier.clone(), None))
                .collect(),
            contents,
        })
    }

    /// The file by its location, if its values are known without running it.
    fn source(&self) -> Option<(&str, SourceFile<'_>)> {
        let source = match &self.contents {
            FileContents::Json(text) => SourceFile::Json(text),
            FileContents::Module(module, format) => SourceFile::Module {
                program: module.program().filter(|_| *format == module.format())?,
                imports: &self.file_imports,
            },
        };
        Some((&self.link.location, source))
    }

    fn to_file(&self) -> CodeFile {
        CodeFile {
            link: self.link.clone(),
            text: Arc::clone(self.contents.text()),
        }
    }

    fn without_packages(&self) -> CodeFile {
        let mut file = self.to_file();
        if let Some(module) = self.contents.module() {
            let is_file = |specifier: &str| self.file_imports.contains_key(specifier);
            let stand_ins = module.stand_ins().edits(module.code(), is_file);
            let edits = &mut file.link.edits;
            edits.retain(|edit| {
                let mut replaced = stand_ins.iter();
                !replaced.any(|by| by.start <= edit.start && edit.end <= by.end)
            });
            edits.extend(stand_ins);
            edits.sort_by_key(|edit| edit.start);
        }
        file
    }
}
