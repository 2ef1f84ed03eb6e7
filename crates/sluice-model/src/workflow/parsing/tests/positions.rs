//! Where things are, for errors that are found later.

use super::*;
use crate::workflow::{path::PathPart, position::Position};

const TEXT: &str = r#"name: Positions
steps:
  - name: first
    code: |

      one
        two
    props:
      plain: Grüße {{ x }}
      quoted: 'Grüße {{ x }}'
      escaped: "a\tb"
      folded: >
        a
        b
  - { name: second, action: none }
"#;

fn positions(text: &str) -> Positions {
    parse(text).unwrap_or_else(|errors| panic!("{errors:#?}")).1
}

fn at(line: u32, column: u32) -> Position {
    Position { line, column }
}

#[test]
fn values_and_keys_have_their_positions() {
    let positions = positions(TEXT);
    let action = ["steps".into(), 1.into(), "action".into()];
    assert_eq!(positions.position(&action), Some(at(15, 29)));
    assert_eq!(positions.key_position(&action), Some(at(15, 21)));
    assert_eq!(positions.position(&["name".into()]), Some(at(1, 7)));
    assert_eq!(
        positions.position(&["steps".into(), 0.into()]),
        Some(at(3, 5))
    );
    assert_eq!(positions.position(&[]), Some(at(1, 1)));
    assert_eq!(positions.position(&["steps".into(), 2.into()]), None);
    assert_eq!(positions.position(&["nothing".into()]), None);
    assert_eq!(positions.key_position(&[]), None);
}

#[test]
fn lines_of_a_block_are_lines_of_the_document() {
    let positions = positions(TEXT);
    let code: [PathPart<'_>; 3] = ["steps".into(), 0.into(), "code".into()];
    assert_eq!(positions.position_in_text(&code, 1, 1), Some(at(5, 7)));
    assert_eq!(positions.position_in_text(&code, 2, 1), Some(at(6, 7)));
    assert_eq!(positions.position_in_text(&code, 3, 3), Some(at(7, 9)));
}

#[test]
fn columns_of_a_line_are_columns_of_the_document() {
    let positions = positions(TEXT);
    let within = |prop: &'static str, column| {
        let path = ["steps".into(), 0.into(), "props".into(), prop.into()];
        positions.position_in_text(&path, 1, column)
    };
    assert_eq!(within("plain", 10), Some(at(9, 23)));
    assert_eq!(within("quoted", 10), Some(at(10, 25)));
    // Text with escapes or folding has the position of its start.
    assert_eq!(within("escaped", 3), Some(at(11, 16)));
    assert_eq!(within("folded", 3), Some(at(13, 9)));
    assert_eq!(within("nothing", 1), None);
}

#[test]
fn positions_in_json_count_characters() {
    let json = "{\"name\": \"😀\", \"steps\": [\r\n  {\"name\": \"a\", \"code\": \"x\\ny\"},\n  {\"name\": \"b\", \"code\": \"xyz\"}]}";
    let positions = positions(json);
    assert_eq!(positions.key_position(&["steps".into()]), Some(at(1, 15)));
    let code = |step: usize| ["steps".into(), step.into(), "code".into()];
    assert_eq!(positions.position(&code(0)), Some(at(2, 25)));
    assert_eq!(positions.position_in_text(&code(0), 2, 1), Some(at(2, 25)));
    assert_eq!(positions.position_in_text(&code(1), 1, 3), Some(at(3, 28)));
}

#[test]
fn a_later_error_is_where_its_value_is_or_should_be() {
    let positions = positions(TEXT);
    let action = ["steps".into(), 1.into(), "action".into()];
    assert_eq!(
        positions.error(&action, "is not known").to_string(),
        "line 15, column 29: steps[1].action: is not known"
    );
    let missing = ["steps".into(), 1.into(), "props".into(), "url".into()];
    assert_eq!(
        positions.error(&missing, "is required").to_string(),
        "line 15, column 5: steps[1].props.url: is required"
    );
}
