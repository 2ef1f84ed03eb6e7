//! Source maps inside of their code.

use base64::{Engine as _, prelude::BASE64_STANDARD};

const MARK: &str = "//# sourceMappingURL=data:application/json;";
const BASE64: &str = "base64,";

/// Code with its source map in a last line, where every JavaScript engine expects it.
pub fn with_inline_map(code: &str, map: &str) -> String {
    let map = BASE64_STANDARD.encode(map);
    let code = code.strip_suffix('\n').unwrap_or(code);
    format!("{code}\n{MARK}{BASE64}{map}\n")
}

/// The code before the source map in its last line; `None` if there is no such line.
pub fn without_inline_map(code: &str) -> Option<&str> {
    let end = code.trim_end();
    let start = end.rfind('\n')? + 1;
    let (before, line) = end.split_at(start);
    let (_, map) = line.strip_prefix(MARK)?.split_once(BASE64)?;
    let is_map = BASE64_STANDARD.decode(map).is_ok_and(|map| {
        serde_json::from_slice::<serde_json::Value>(&map).is_ok_and(|map| map["version"] == 3)
    });
    is_map.then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_can_be_added_and_removed() {
        let map = r#"{"version":3,"sources":["a.ts"],"mappings":""}"#;
        let both = with_inline_map("run();\n", map);
        assert_eq!(without_inline_map(&both), Some("run();\n"));
        let with_charset = both.replace("json;base64", "json;charset=utf-8;base64");
        assert_eq!(without_inline_map(&with_charset), Some("run();\n"));
        assert_eq!(without_inline_map("run();\n"), None);
        let named = "run();\n//# sourceMappingURL=a.js.map\n";
        assert_eq!(without_inline_map(named), None);
        let no_map = format!("run();\n{MARK}{BASE64}e30=\n");
        assert_eq!(without_inline_map(&no_map), None);
    }
}
