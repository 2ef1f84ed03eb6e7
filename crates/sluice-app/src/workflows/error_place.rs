//! The place of a step's error in the text that its author wrote: in the document, or in a file beside it.

use std::collections::BTreeMap;

use sluice_code::MemoryFiles;
use sluice_model::workflow::{Document, PathPart, Position, Positions, RunError, StepCode, parse};

/// Lines that an excerpt shows before and after the place.
const LINES_AROUND: usize = 3;
/// Characters of a line that an excerpt shows.
const MAX_LINE: usize = 300;

/// A position with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorPlace {
    /// A file beside the document; none for the document itself.
    pub file: Option<String>,
    /// Lines and columns count from 1.
    pub line: u32,
    pub column: u32,
    /// The number of the excerpt's first line.
    pub first_line: u32,
    pub excerpt: Vec<String>,
}

/// The sources of a version, parsed once for all its errors.
pub(super) struct Sources<'a> {
    text: &'a str,
    files: &'a BTreeMap<String, String>,
    document: Document,
    positions: Positions,
}

impl<'a> Sources<'a> {
    /// None for a document that does not parse.
    pub(super) fn new(text: &'a str, files: &'a BTreeMap<String, String>) -> Option<Sources<'a>> {
        let (document, positions) = parse(text).ok()?;
        Some(Sources {
            text,
            files,
            document,
            positions,
        })
    }

    /// None for an error of no step.
    pub(super) fn place(&self, error: &RunError) -> Option<ErrorPlace> {
        let name = error.step.as_deref()?;
        let index = self
            .document
            .steps
            .iter()
            .position(|one| one.name == name)?;
        let step = [PathPart::Key("steps"), index.into()];
        if let Some(prop) = &error.prop {
            let path = [step[0], step[1], "props".into(), prop.as_str().into()];
            if let Some(position) = self.positions.key_position(&path) {
                return Some(in_document(self.text, position));
            }
        }
        let code = &self.document.steps[index].code;
        let framed = frames(&error.stack).find_map(|frame| self.framed(&frame, index, code));
        framed.or_else(|| Some(in_document(self.text, self.positions.position(&step)?)))
    }

    fn framed(&self, frame: &Frame<'_>, index: usize, code: &StepCode) -> Option<ErrorPlace> {
        let name = &self.document.steps[index].name;
        if matches!(code, StepCode::Inline(_)) && is_module(frame.file, name) {
            let path = ["steps".into(), index.into(), "code".into()];
            let position = self
                .positions
                .position_in_text(&path, frame.line, frame.column)?;
            return Some(in_document(self.text, position));
        }
        let (path, text) = self.file(frame.file)?;
        let position = Position {
            line: frame.line,
            column: frame.column,
        };
        Some(ErrorPlace {
            file: Some(path.to_owned()),
            ..in_document(text, position)
        })
    }

    /// The file at a location, by the path with which it was deployed.
    fn file(&self, location: &str) -> Option<(&str, &str)> {
        let is_here = |path: &&String| {
            MemoryFiles::location(path).is_ok_and(|found| found.as_str() == location)
        };
        let path = self.files.keys().find(is_here)?;
        Some((path.as_str(), self.files[path].as_str()))
    }
}

/// Whether a file is the code of a step that has no file: `<name>.mjs`, `.ts` and so on.
fn is_module(file: &str, name: &str) -> bool {
    let extension = file
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('.'));
    extension.is_some_and(|extension| ["js", "mjs", "cjs", "ts", "mts", "cts"].contains(&extension))
}

fn in_document(text: &str, Position { line, column }: Position) -> ErrorPlace {
    let before = usize::try_from(line)
        .unwrap_or(usize::MAX)
        .saturating_sub(1);
    let skipped = before.saturating_sub(LINES_AROUND);
    let shown = before - skipped + 1 + LINES_AROUND;
    let lines = text.lines().skip(skipped).take(shown);
    ErrorPlace {
        file: None,
        line,
        column,
        first_line: u32::try_from(skipped + 1).unwrap_or(u32::MAX),
        excerpt: lines
            .map(|line| line.chars().take(MAX_LINE).collect())
            .collect(),
    }
}

struct Frame<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

/// The frames of a stack that name a position: `at f (file:1:2)` and `at file:1:2`.
fn frames(stack: &str) -> impl Iterator<Item = Frame<'_>> {
    stack.lines().filter_map(|line| {
        let call = line.trim_start().strip_prefix("at ")?;
        let place = call.rsplit_once('(').map_or(call, |(_, place)| place);
        let mut parts = place.trim_end_matches(')').rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        let file = parts.next()?.trim_start_matches("async ");
        Some(Frame { file, line, column })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"name: Orders
steps:
  - name: load
    code: |
      export default defineComponent({
        async run() {
          throw new Error("no")
        }
      })
    props:
      url: "{{ steps.trigger.event.body.url }}"
  - name: save
    file: ./lib/save.mjs
  - name: tell
    action: slack-send
"#;

    fn place(step: &str, stack: &str, prop: Option<&str>) -> ErrorPlace {
        let files = BTreeMap::from([("./lib/save.mjs".to_owned(), "one\ntwo\nthree".to_owned())]);
        let sources = Sources::new(DOCUMENT, &files).unwrap();
        let error = RunError {
            step: Some(step.to_owned()),
            code: "Error".to_owned(),
            message: "no".to_owned(),
            stack: stack.to_owned(),
            prop: prop.map(str::to_owned),
        };
        sources.place(&error).unwrap()
    }

    #[test]
    fn a_frame_of_inline_code_is_a_line_of_the_document() {
        let found = place("load", "Error: no\n    at Object.run (load.mjs:3:11)", None);
        assert_eq!((found.file, found.line, found.column), (None, 7, 17));
        assert_eq!(found.first_line, 4);
        assert_eq!(found.excerpt.len(), 7);
        assert!(found.excerpt[3].contains("throw new Error"));
    }

    #[test]
    fn a_frame_of_a_file_names_the_file() {
        let stack =
            "Error: no\n    at node_modules/x/y.js:1:1\n    at async run (lib/save.mjs:2:1)";
        let found = place("save", stack, None);
        assert_eq!(found.file.as_deref(), Some("./lib/save.mjs"));
        assert_eq!((found.line, found.first_line), (2, 1));
        assert_eq!(found.excerpt, ["one", "two", "three"]);
    }

    #[test]
    fn an_expression_is_at_its_prop_and_other_errors_at_their_step() {
        let expression = place("load", "ExpressionError: no", Some("url"));
        assert_eq!((expression.line, expression.column), (11, 7));
        let action = place("tell", "Error: no\n    at run (slack.app.mjs:3:1)", None);
        assert_eq!(action.line, 14);
        assert!(
            action
                .excerpt
                .iter()
                .any(|line| line.contains("name: tell"))
        );
    }

    #[test]
    fn a_hostile_stack_has_no_frames() {
        for stack in [
            "",
            "at",
            "at (:::)",
            "at x:99999999999:1",
            "at )",
            "a\nb:1:2",
        ] {
            assert_eq!(frames(stack).count(), 0, "{stack}");
        }
    }
}
