//! The subject of `sluice test`: test files, or a component without tests.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

use crate::commands::code::EXTENSIONS;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// At least one file.
    Tests(Vec<PathBuf>),
    Component(PathBuf),
}

impl Subject {
    /// With `has_event` the component itself runs, even if it has tests.
    pub(super) fn find(path: &Path, has_event: bool) -> anyhow::Result<Subject> {
        let metadata =
            fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        if metadata.is_dir() {
            if has_event {
                bail!("{} is a folder: name a component file", path.display());
            }
            let mut tests = Vec::new();
            collect_tests(path, &mut tests)?;
            if tests.is_empty() {
                bail!(
                    "no tests below {}: test files are named like name.test.mjs",
                    path.display()
                );
            }
            tests.sort();
            return Ok(Subject::Tests(tests));
        }
        let subject = match test_beside(path) {
            _ if is_test(path) => Subject::Tests(vec![path.to_owned()]),
            Some(test) if !has_event => Subject::Tests(vec![test]),
            _ => Subject::Component(path.to_owned()),
        };
        Ok(subject)
    }
}

/// `name.test.mjs` for `name.mjs`, also with another extension.
fn test_beside(component: &Path) -> Option<PathBuf> {
    let stem = component.file_stem()?.to_str()?;
    let names = EXTENSIONS
        .iter()
        .map(|extension| format!("{stem}.test.{extension}"));
    names
        .map(|name| component.with_file_name(name))
        .find(|path| path.is_file())
}

fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| {
        EXTENSIONS
            .iter()
            .any(|extension| name.ends_with(&format!(".test.{extension}")))
    })
}

fn collect_tests(folder: &Path, tests: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name != "node_modules" && !name.starts_with('.') {
                collect_tests(&path, tests)?;
            }
        } else if is_test(&path) {
            tests.push(path);
        }
    }
    Ok(())
}
