//! The files that a folder of TypeScript components shares: the types of components, and the settings of the compiler. Nothing is
//! fetched for them.

/// The package `@sluice/types`. Its files have no `declare`, so that they may be the content of an ambient module.
const TYPES: &str = include_str!("../../../../../packages/types/types.d.ts");
const TESTING: &str = include_str!("../../../../../packages/types/testing.d.ts");
const GLOBALS: &str = include_str!("../../../../../packages/types/globals.d.ts");
const TSCONFIG: &str = include_str!("templates/tsconfig.txt");
const HEAD: &str = "// Types for the components of Sluice, written by `sluice init --typescript`. Add --force to update them.\n";

/// The files, each with its path.
pub(super) fn files() -> [(&'static str, String); 2] {
    let types = [
        HEAD.to_owned(),
        ambient_module("@sluice/types", TYPES),
        ambient_module("sluice/test", TESTING),
        GLOBALS.to_owned(),
    ];
    [
        ("sluice.d.ts", types.join("\n")),
        ("tsconfig.json", TSCONFIG.to_owned()),
    ]
}

fn ambient_module(name: &str, text: &str) -> String {
    let mut module = format!("declare module \"{name}\" {{\n");
    for line in text.lines() {
        if !line.is_empty() {
            module.push_str("  ");
            module.push_str(line);
        }
        module.push('\n');
    }
    module.push_str("}\n");
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_of_an_ambient_module_declares_nothing() {
        for text in [TYPES, TESTING] {
            assert!(!text.contains("declare "));
            assert!(!text.contains("import "));
        }
        assert!(ambient_module("m", "a\n\nb\n") == "declare module \"m\" {\n  a\n\n  b\n}\n");
    }
}
