//! Native packages, which the sandbox does not run.

use std::{collections::BTreeMap, fs::File, io::Read, path::Path};

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    #[serde(default)]
    gypfile: bool,
    #[serde(default)]
    optional_dependencies: BTreeMap<String, String>,
}

impl Manifest {
    /// A package whose native code is in one package for each platform.
    fn has_platforms(&self) -> bool {
        let names_a = |platform| {
            self.optional_dependencies
                .keys()
                .any(|name| name.contains(platform))
        };
        names_a("linux-x64") && names_a("darwin-arm64")
    }
}

/// A larger manifest counts as not native, because it is not read.
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// Whether a package is native code. A package with an optional native helper has it in another package and works
/// without it.
pub(super) fn is_native(package: &Path) -> bool {
    if package.join("binding.gyp").exists() {
        return true;
    }
    let mut text = String::new();
    let read = File::open(package.join("package.json"))
        .and_then(|file| file.take(MAX_MANIFEST).read_to_string(&mut text));
    read.ok()
        .and_then(|_| serde_json::from_str::<Manifest>(&text).ok())
        .is_some_and(|manifest| manifest.gypfile || manifest.has_platforms())
}

pub(super) fn error_message(name: &str) -> String {
    format!("package {name} needs a native add-on, and native code does not run in the sandbox")
}

/// The message for a native add-on that did not load, with the name of its package.
pub(crate) fn explain(message: &str, stack: &str) -> Option<String> {
    const SIGNS: [&str; 6] = [
        "Requires ffi access",
        "Could not locate the bindings file",
        "No native build was found",
        "was compiled against a different Node.js version",
        ".node\"",
        ".node'",
    ];
    if !SIGNS.iter().any(|sign| message.contains(sign)) {
        return None;
    }
    let name = package_in(message).or_else(|| package_in(stack))?;
    Some(format!("{}: {message}", error_message(&name)))
}

/// The package of a path: the name after its last `node_modules/`.
fn package_in(text: &str) -> Option<String> {
    let (_, after) = text.rsplit_once("node_modules/")?;
    let end = |c: char| c == '/' || c.is_whitespace() || c == '\'' || c == '"' || c == ':';
    let mut parts = after.split(end);
    let first = parts.next().filter(|part| !part.is_empty())?;
    if first.starts_with('@') {
        return parts.next().map(|second| format!("{first}/{second}"));
    }
    Some(first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blocked_add_on_is_explained_with_the_name_of_its_package() {
        let told = explain(
            "Requires ffi access to \"/p/node_modules/.deno/bcrypt@5/node_modules/bcrypt/lib/x.node\"",
            "",
        );
        assert!(
            told.unwrap()
                .starts_with("package bcrypt needs a native add-on")
        );
        let told = explain(
            "Could not locate the bindings file. Tried:\n → /p/build/x.node",
            "at /p/node_modules/@s/db/lib/i.js:3:1",
        );
        assert!(told.unwrap().starts_with("package @s/db needs"));
        assert_eq!(
            explain("x is not a function", "at node_modules/a/b.js"),
            None
        );
    }
}
