//! The layout of the files of a component in the folder of its process, and the edits that make imports lead to them.
//!
//! Deno runs the files as they are: only specifiers change, and names where Deno would take a file for another kind than
//! it is.

use std::collections::{HashMap, HashSet};

use sluice_model::{Edit, FileLink, ModuleFormat, json_module_path};

use crate::{
    imports::{Import, ImportKind},
    language::Language,
    module::ParsedModule,
    resolved_file::{FileContents, ResolvedFile},
};

/// Characters that are not part of the path in a URL.
const NOT_IN_PATHS: [(char, &str); 3] = [('%', "%25"), ('?', "%3F"), ('#', "%23")];

/// Bytes of a name and of a path that every file system has room for, with the ends that are added here.
const MAX_NAME: usize = 200;
const MAX_PATH: usize = 1_000;

pub(crate) struct Layout {
    /// By location.
    files: HashMap<String, Place>,
}

struct Place {
    path: String,
    is_json: bool,
}

impl Layout {
    pub(crate) fn of<'f>(files: impl Iterator<Item = &'f ResolvedFile>) -> Layout {
        let mut taken = TakenPaths::default();
        let mut places = HashMap::new();
        for file in files {
            let wanted = format!("{}{}", path_of(&file.location), suffix(file));
            let mut path = wanted.clone();
            let mut number = 1;
            while taken.is_taken(&path) {
                number += 1;
                path = format!("{number}/{wanted}");
            }
            taken.take(&path);
            let is_json = matches!(file.contents, FileContents::Json(_));
            if is_json {
                taken.take(&json_module_path(&path));
            }
            places.insert(file.location.clone(), Place { path, is_json });
        }
        Layout { files: places }
    }

    /// The path of a file and the edits of its imports.
    pub(crate) fn link(&self, file: &ResolvedFile) -> FileLink {
        let own = self.files.get(&file.location);
        let path = own.map_or(file.location.as_str(), |place| place.path.as_str());
        let module = file.contents.module();
        let mut edits = module.map(ParsedModule::edits).unwrap_or_default().to_vec();
        let imports = module.map(ParsedModule::imports).unwrap_or_default();
        edits.extend(imports.iter().filter_map(|import| {
            let target = self.files.get(file.imports.get(&import.specifier)?)?;
            edit(import, path, target)
        }));
        edits.sort_by_key(|edit| edit.start);
        FileLink {
            location: file.location.clone(),
            path: path.to_owned(),
            edits,
            packages: file.packages.clone(),
        }
    }
}

/// Paths that cannot be the path of another file.
#[derive(Default)]
struct TakenPaths {
    files: HashSet<String>,
    folders: HashSet<String>,
}

impl TakenPaths {
    fn is_taken(&self, path: &str) -> bool {
        let is_below_file = folders(path).any(|folder| self.files.contains(folder));
        self.files.contains(path) || self.folders.contains(path) || is_below_file
    }

    fn take(&mut self, path: &str) {
        self.folders.extend(folders(path).map(str::to_owned));
        self.files.insert(path.to_owned());
    }
}

/// The folders that a path is in.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end])
}

/// Whether a file with this location can be written to a disk.
pub(crate) fn has_short_names(location: &str) -> bool {
    let path = path_of(location);
    path.len() <= MAX_PATH && path.split('/').all(|name| name.len() <= MAX_NAME)
}

/// The edit of an import; `None` if it leads to its target as it is.
fn edit(import: &Import, importer: &str, target: &Place) -> Option<Edit> {
    let (specifier, end) = match import.kind {
        ImportKind::Require => (relative(importer, &target.path), import.end),
        // The attributes would ask for JSON.
        ImportKind::Module { attributes_end, .. } if target.is_json => {
            let module = json_module_path(&target.path);
            (escaped(&relative(importer, &module)), attributes_end)
        }
        ImportKind::Module { .. } => (escaped(&relative(importer, &target.path)), import.end),
    };
    (specifier != import.specifier || end != import.end).then(|| Edit {
        start: import.offset,
        end,
        // A JSON string is also a string literal of JavaScript.
        text: serde_json::Value::from(specifier).to_string(),
    })
}

/// The path of a location: a URL without its scheme and query.
fn path_of(location: &str) -> String {
    let Some((_, address)) = location.split_once("://") else {
        return location.to_owned();
    };
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let parts = address[..end].split('/');
    let parts = parts.filter(|part| !matches!(*part, "" | "." | ".."));
    // Colons separate the line and the column in stack traces.
    parts.collect::<Vec<_>>().join("/").replace(':', "_")
}

/// The end of the name that makes Deno take a file for what it is.
fn suffix(file: &ResolvedFile) -> &'static str {
    let path = path_of(&file.location);
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => extension,
        _ => "",
    };
    let FileContents::Module(module, format) = &file.contents else {
        // A manifest would decide about the files beside it.
        return if name == "package.json" { ".json" } else { "" };
    };
    match (module.language(), format, extension) {
        (Language::JavaScript, ModuleFormat::EsModule, "mjs" | "js")
        | (Language::JavaScript, ModuleFormat::CommonJs, "cjs")
        | (Language::TypeScript, ModuleFormat::EsModule, "mts" | "ts")
        | (Language::TypeScript, ModuleFormat::CommonJs, "cts") => "",
        (Language::JavaScript, ModuleFormat::EsModule, _) => ".mjs",
        (Language::JavaScript, ModuleFormat::CommonJs, _) => ".cjs",
        (Language::TypeScript, ModuleFormat::EsModule, _) => ".mts",
        (Language::TypeScript, ModuleFormat::CommonJs, _) => ".cts",
    }
}

/// The specifier of `target` in the file `importer`.
fn relative(importer: &str, target: &str) -> String {
    let mut from: Vec<&str> = importer.split('/').collect();
    from.pop();
    let to: Vec<&str> = target.split('/').collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = match from.len() - shared {
        0 => "./".to_owned(),
        levels => "../".repeat(levels),
    };
    format!("{up}{}", to[shared..].join("/"))
}

fn escaped(path: &str) -> String {
    let mut escaped = path.to_owned();
    for (character, code) in NOT_IN_PATHS {
        escaped = escaped.replace(character, code);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specifiers_are_relative_to_the_importer() {
        for (importer, target, expected) in [
            ("a.mjs", "b.mjs", "./b.mjs"),
            ("x/a.mjs", "b.mjs", "../b.mjs"),
            ("x/a.mjs", "x/y/b.mjs", "./y/b.mjs"),
            ("x/y/a.mjs", "x/z/b.mjs", "../z/b.mjs"),
            ("x/y/a.mjs", "z/b.mjs", "../../z/b.mjs"),
        ] {
            assert_eq!(relative(importer, target), expected);
        }
    }

    #[test]
    fn a_file_is_no_folder_of_another() {
        let mut taken = TakenPaths::default();
        taken.take("a/b.mjs");
        for path in ["a/b.mjs", "a", "a/b.mjs/c.mjs"] {
            assert!(taken.is_taken(path), "{path}");
        }
        assert!(!taken.is_taken("a/c.mjs"));
    }

    #[test]
    fn long_names_are_refused() {
        assert!(has_short_names("a/b.mjs"));
        assert!(!has_short_names(&"a".repeat(MAX_NAME + 1)));
        assert!(!has_short_names(&"a/".repeat(MAX_PATH)));
    }

    #[test]
    fn a_url_has_a_path_that_stays_in_its_folder() {
        assert_eq!(
            path_of("https://example.com:8080/a/./../b.mjs?token=x/y#z"),
            "example.com_8080/a/b.mjs"
        );
        assert_eq!(path_of("a/b.mjs"), "a/b.mjs");
    }

    #[test]
    fn characters_with_a_meaning_in_urls_are_escaped() {
        assert_eq!(escaped("./a%20#b?.mjs"), "./a%2520%23b%3F.mjs");
    }
}
