//! The sample of an event that a source emits: the value in the file `test-event` beside its code.

use serde_json::Value;
use sluice_model::{CodeFile, CodeFiles};

use crate::{
    default_export::{DefaultExport, default_export},
    language::Language,
    literal,
    location::Location,
    parse::parse_file,
    source_kind::SourceKind,
};

/// The name of files with a sample event, without an extension.
const NAME: &str = "test-event";
/// In the order in which they are looked for.
const EXTENSIONS: [&str; 5] = ["mjs", "js", "ts", "json", "cjs"];
/// The longest text of a sample.
pub(crate) const MAX_SAMPLE: usize = 128 << 10;

/// The files that may have the sample of the component in `entry`.
pub(crate) fn sample_locations(entry: &Location) -> impl Iterator<Item = Location> {
    sample_paths(entry.as_str()).map(Location::new)
}

/// The paths of files that may have the sample of the component at `path`.
pub fn sample_paths(path: &str) -> impl Iterator<Item = String> {
    let folder = path.rfind('/').map_or("", |end| &path[..=end]);
    EXTENSIONS
        .into_iter()
        .map(move |extension| format!("{folder}{NAME}.{extension}"))
}

/// Whether a file has the name of a sample.
pub fn is_sample(path: &str) -> bool {
    let name = path.rfind('/').map_or(path, |end| &path[end + 1..]);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem == NAME
}

/// The sample event of a component. `None` if it has none, or if the value is only known when the code runs.
pub fn sample_event(files: &CodeFiles) -> Option<Value> {
    let entry = Location::new(files.entry.link.location.as_str());
    let mut locations = sample_locations(&entry);
    let file = locations.find_map(|location| {
        let mut others = files.others.iter();
        others.find(|file| file.link.location == location.as_str())
    })?;
    value_of(file)
}

fn value_of(file: &CodeFile) -> Option<Value> {
    if file.text.len() > MAX_SAMPLE {
        return None;
    }
    match SourceKind::of(&Location::new(file.link.location.as_str()))? {
        SourceKind::Json => serde_json::from_str(&file.text).ok(),
        SourceKind::Code(language) => default_value(&file.text, language),
    }
}

fn default_value(code: &str, language: Language) -> Option<Value> {
    let parsed = parse_file(code, language, |parsed| {
        let program = &parsed.program;
        match default_export(program)? {
            DefaultExport::Value(value) => literal::value_of(program, value),
            DefaultExport::Other => None,
        }
    });
    parsed.ok().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sluice_model::{FileLink, ModuleFormat};

    use super::*;

    fn sample(name: &str, text: &str) -> Option<Value> {
        let link = |location: &str| FileLink {
            location: location.to_owned(),
            ..FileLink::unnamed("mjs")
        };
        let mut files = CodeFiles::single("export default {};", ModuleFormat::EsModule);
        files.entry.link = link("acme/sources/new-item/new-item.mjs");
        files.others.push(CodeFile {
            link: link(&format!("acme/sources/new-item/{name}")),
            text: text.into(),
        });
        sample_event(&files)
    }

    #[test]
    fn samples_are_read_in_all_forms() {
        let expected = Some(json!({ "id": 1, "tags": ["a", null], "at": -1.5, "name": "ab" }));
        let object = "{ id: 1, 'tags': ['a', null], at: -1.5, name: `a` + 'b', gone: undefined }";
        for (name, text) in [
            ("test-event.mjs", format!("export default {object};")),
            ("test-event.js", format!("module.exports = {object};")),
            ("test-event.cjs", format!("module.exports = {object};")),
            (
                "test-event.ts",
                format!("const event: object = {object}; export default event as any;"),
            ),
            (
                "test-event.mjs",
                format!("const event = {object}; export {{ event as default }};"),
            ),
            (
                "test-event.mjs",
                format!("const all = {object}; export default {{ ...all, id: 1 }};"),
            ),
            (
                "test-event.json",
                r#"{ "id": 1, "tags": ["a", null], "at": -1.5, "name": "ab" }"#.to_owned(),
            ),
        ] {
            assert_eq!(sample(name, &text), expected, "{name}: {text}");
        }
    }

    #[test]
    fn nothing_is_run() {
        for text in [
            "export default { id: Date.now() };",
            "export default { get id() { return 1; } };",
            "export default () => ({ id: 1 });",
            "export default { id: other };",
            "export { default } from './other.mjs';",
            "export default {",
            "export const id = 1;",
        ] {
            assert_eq!(sample("test-event.mjs", text), None, "{text}");
        }
        assert_eq!(sample("other.mjs", "export default { id: 1 };"), None);
    }

    #[test]
    fn variables_cannot_multiply_a_value_without_end() {
        let mut text = "const a0 = [1, 1];".to_owned();
        for number in 1..60 {
            let before = number - 1;
            let variable = format!("const a{number} = [a{before}, a{before}];");
            text.push_str(&variable);
        }
        text += "export default a59;";
        assert_eq!(sample("test-event.mjs", &text), None);
        let circle = "const a = { b: a }; export default a;";
        assert_eq!(sample("test-event.mjs", circle), None);
    }
}
