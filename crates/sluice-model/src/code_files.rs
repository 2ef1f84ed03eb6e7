//! The files of a component's code, and how they are laid out for a process.

use std::{borrow::Cow, collections::BTreeMap, fmt::Write as _, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::component::ModuleFormat;

/// The file name of code that has none.
const COMPONENT: &str = "component";
/// The extension of the module that has the contents of a JSON file, after the name of that file.
const JSON_MODULE: &str = ".mjs";

/// Code in one file or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFiles {
    /// The file that is loaded.
    pub entry: CodeFile,
    /// The files that it imports, directly or not.
    pub others: Vec<CodeFile>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFile {
    pub link: FileLink,
    /// The text as its author wrote it.
    pub text: Arc<str>,
}

/// The place of a file among the files of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLink {
    /// Its path in its tree, or its URL: the name by which its author knows it.
    pub location: String,
    /// Its path in the folder of the process.
    pub path: String,
    /// The changes that make its imports lead to the files of the process, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    /// The ranges that the manifest of its app gives for packages that it imports without a version, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub packages: BTreeMap<String, String>,
}

/// A replacement of a part of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Byte offsets.
    pub start: usize,
    pub end: usize,
    pub text: String,
}

impl CodeFiles {
    /// JavaScript in one file.
    pub fn single(code: impl Into<Arc<str>>, format: ModuleFormat) -> CodeFiles {
        let extension = match format {
            ModuleFormat::CommonJs => "cjs",
            ModuleFormat::EsModule => "mjs",
        };
        CodeFiles {
            entry: CodeFile {
                link: FileLink::unnamed(extension),
                text: code.into(),
            },
            others: Vec::new(),
        }
    }

    /// Whether the code is the same, wherever its files are.
    pub fn is_same_code(&self, other: &CodeFiles) -> bool {
        let parts = |files: &CodeFiles| {
            let parts = files.all().map(|CodeFile { link, text }| {
                (Arc::clone(text), link.edits.clone(), link.packages.clone())
            });
            parts.collect::<Vec<_>>()
        };
        parts(self) == parts(other)
    }

    /// The entry and the others.
    pub fn all(&self) -> impl Iterator<Item = &CodeFile> {
        std::iter::once(&self.entry).chain(&self.others)
    }

    /// The path of each file of a process, with its text.
    pub fn laid_out(&self) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
        self.all().flat_map(|file| {
            let path = &file.link.path;
            let module = is_json(path).then(|| {
                let module = json_module(&file.text);
                (Cow::Owned(json_module_path(path)), Cow::Owned(module))
            });
            let text = apply(&file.link.edits, &file.text);
            std::iter::once((Cow::Borrowed(path.as_str()), text)).chain(module)
        })
    }
}

impl FileLink {
    /// The only file of a component, which has no name.
    pub fn unnamed(extension: &str) -> FileLink {
        let name = format!("{COMPONENT}.{extension}");
        FileLink {
            location: name.clone(),
            path: name,
            edits: Vec::new(),
            packages: BTreeMap::new(),
        }
    }
}

fn is_json(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|end| end == "json")
}

/// The path of the module that has the contents of a JSON file.
pub fn json_module_path(path: &str) -> String {
    format!("{path}{JSON_MODULE}")
}

/// A module with the value of a JSON text as its default export, and the members of an object as its other exports.
fn json_module(json: &str) -> String {
    let quoted = serde_json::Value::from(json).to_string();
    let mut module = format!("const data = JSON.parse({quoted});\nexport default data;\n");
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(json).unwrap_or_default();
    for (number, name) in object.keys().filter(|name| *name != "default").enumerate() {
        let name = serde_json::Value::from(name.as_str());
        let _ = writeln!(module, "const m{number} = data[{name}];");
        let _ = writeln!(module, "export {{ m{number} as {name} }};");
    }
    module
}

fn apply<'t>(edits: &[Edit], text: &'t str) -> Cow<'t, str> {
    if edits.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut edited = String::with_capacity(text.len());
    let mut after = 0;
    for Edit {
        start,
        end,
        text: replacement,
    } in edits
    {
        edited += text.get(after..*start).unwrap_or_default();
        edited += replacement;
        after = *end;
    }
    edited += text.get(after..).unwrap_or_default();
    Cow::Owned(edited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_to_the_original_text() {
        let edit = |start, end, text: &str| Edit {
            start,
            end,
            text: text.to_owned(),
        };
        let edits = [edit(0, 0, "("), edit(2, 3, "xyz"), edit(5, 6, "")];
        assert_eq!(apply(&edits, "abcdef"), "(abxyzde");
        assert_eq!(apply(&[], "abcdef"), "abcdef");
    }

    #[test]
    fn a_json_file_is_also_a_module() {
        let mut files = CodeFiles::single("code", ModuleFormat::EsModule);
        files.others.push(CodeFile {
            link: FileLink {
                location: "data.json".to_owned(),
                path: "data.json".to_owned(),
                edits: Vec::new(),
                packages: BTreeMap::new(),
            },
            text: r#"{"a-b": 1, "default": 2}"#.into(),
        });
        let laid_out: Vec<(String, String)> = files
            .laid_out()
            .map(|(path, text)| (path.into_owned(), text.into_owned()))
            .collect();
        let paths: Vec<&str> = laid_out.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["component.mjs", "data.json", "data.json.mjs"]);
        assert!(laid_out[2].1.contains(r#"export { m0 as "a-b" };"#));
        assert!(!laid_out[2].1.contains("m1"));
    }
}
