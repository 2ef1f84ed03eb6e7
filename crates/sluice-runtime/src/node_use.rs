//! Whether code may need Node's compatibility layer before it reads a global. Loading the layer takes longer than the rest of a
//! start, so code that does not need it starts without.
//!
//! The check looks for words in the text. A word in a comment or a string costs time and changes nothing else.

use std::{ffi::OsStr, path::Path};

use sluice_model::{CodeFiles, ModuleFormat};

use crate::spec::ModuleSpec;

/// Modules that the harness must prepare before code imports them. It prepares the global `process` at its first use.
const PREPARED: [&str; 2] = ["process", "module"];

pub(crate) fn needs_node(module: &ModuleSpec) -> bool {
    module.packages.is_some()
        || match module.format {
            ModuleFormat::CommonJs => !is_plain_common_js(&module.files),
            ModuleFormat::EsModule => module.files.all().any(|file| imports_prepared(&file.text)),
        }
}

/// The same for code with stand-ins for its packages. `require` can only give these with the layer.
pub(crate) fn survey_needs_node(files: &CodeFiles) -> bool {
    let is_common_js = |path: &str| {
        let extension = Path::new(path).extension();
        extension.is_some_and(|extension| extension == "cjs" || extension == "cts")
    };
    let mut files = files.all();
    files.any(|file| is_common_js(&file.link.path) || imports_prepared(&file.text))
}

/// Whether the harness can evaluate the code itself: one JavaScript file that imports nothing.
fn is_plain_common_js(files: &CodeFiles) -> bool {
    let text = &*files.entry.text;
    files.others.is_empty()
        && Path::new(&files.entry.link.path).extension() == Some(OsStr::new("cjs"))
        && files.entry.link.edits.is_empty()
        && !text.starts_with("#!")
        && !text.contains("require")
        && !text.contains("import")
        && uses_only_exports(text)
}

/// Whether the text mentions `module` only as `module.exports`.
fn uses_only_exports(text: &str) -> bool {
    let mut parts = text.split("module");
    parts.next();
    parts.all(|rest| rest.starts_with(".exports"))
}

fn imports_prepared(text: &str) -> bool {
    PREPARED.iter().any(|name| {
        ["node:", "\"", "'"].iter().any(|before| {
            text.match_indices(before).any(|(at, _)| {
                let rest = &text[at + before.len()..];
                rest.strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with(['"', '\'', '`']))
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(code: &str, format: ModuleFormat) -> bool {
        needs_node(&ModuleSpec {
            name: ModuleSpec::COMPONENT.to_owned(),
            files: CodeFiles::single(code, format).into(),
            format,
            packages: None,
            props: Vec::new(),
        })
    }

    #[test]
    fn code_that_imports_nothing_needs_no_node() {
        let common_js = "module.exports = { name: 'x', run() { this.$emit(process.version); } }";
        assert!(!needs(common_js, ModuleFormat::CommonJs));
        let es_module = "export default { name: 'x', run() { console.log(process.version); } }";
        assert!(!needs(es_module, ModuleFormat::EsModule));
        assert!(!needs("import fs from 'node:fs';", ModuleFormat::EsModule));
    }

    #[test]
    fn code_that_may_import_needs_node() {
        for code in [
            "const fs = require('fs'); module.exports = {};",
            "module.exports = { run: () => import('node:fs') };",
            "module.paths; module.exports = {};",
            "#!/usr/bin/env node\nmodule.exports = {};",
        ] {
            assert!(needs(code, ModuleFormat::CommonJs), "{code}");
        }
        for code in [
            "import process from 'node:process';",
            "import process from \"process\";",
            "import { createRequire } from 'module';",
            "await import(`node:module`);",
        ] {
            assert!(needs(code, ModuleFormat::EsModule), "{code}");
        }
    }

    #[test]
    fn a_survey_needs_node_for_what_requires() {
        let needs = |code: &str, format| survey_needs_node(&CodeFiles::single(code, format));
        assert!(needs("module.exports = {};", ModuleFormat::CommonJs));
        assert!(needs(
            "import process from 'node:process';",
            ModuleFormat::EsModule
        ));
        assert!(!needs(
            "import axios from 'axios'; export default {};",
            ModuleFormat::EsModule
        ));
    }
}
