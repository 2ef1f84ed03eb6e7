//! Where things are, for faults that are found later.

use super::*;
use crate::workflow::{path::PathPart, places::Place};

const TEXT: &str = r#"name: Places
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

fn places(text: &str) -> Places {
    parse(text).unwrap_or_else(|faults| panic!("{faults:#?}")).1
}

fn at(line: u32, column: u32) -> Place {
    Place { line, column }
}

#[test]
fn values_and_keys_have_their_places() {
    let places = places(TEXT);
    let action = ["steps".into(), 1.into(), "action".into()];
    assert_eq!(places.place(&action), Some(at(15, 29)));
    assert_eq!(places.key_place(&action), Some(at(15, 21)));
    assert_eq!(places.place(&["name".into()]), Some(at(1, 7)));
    assert_eq!(places.place(&["steps".into(), 0.into()]), Some(at(3, 5)));
    assert_eq!(places.place(&[]), Some(at(1, 1)));
    assert_eq!(places.place(&["steps".into(), 2.into()]), None);
    assert_eq!(places.place(&["nothing".into()]), None);
    assert_eq!(places.key_place(&[]), None);
}

#[test]
fn lines_of_a_block_are_lines_of_the_document() {
    let places = places(TEXT);
    let code: [PathPart<'_>; 3] = ["steps".into(), 0.into(), "code".into()];
    assert_eq!(places.place_in_text(&code, 1, 1), Some(at(5, 7)));
    assert_eq!(places.place_in_text(&code, 2, 1), Some(at(6, 7)));
    assert_eq!(places.place_in_text(&code, 3, 3), Some(at(7, 9)));
}

#[test]
fn columns_of_a_line_are_columns_of_the_document() {
    let places = places(TEXT);
    let within = |prop: &'static str, column| {
        let path = ["steps".into(), 0.into(), "props".into(), prop.into()];
        places.place_in_text(&path, 1, column)
    };
    assert_eq!(within("plain", 10), Some(at(9, 23)));
    assert_eq!(within("quoted", 10), Some(at(10, 25)));
    // What is not there as it reads is where it begins.
    assert_eq!(within("escaped", 3), Some(at(11, 16)));
    assert_eq!(within("folded", 3), Some(at(13, 9)));
    assert_eq!(within("nothing", 1), None);
}

#[test]
fn places_in_json_count_characters() {
    let json = "{\"name\": \"😀\", \"steps\": [\r\n  {\"name\": \"a\", \"code\": \"x\\ny\"},\n  {\"name\": \"b\", \"code\": \"xyz\"}]}";
    let places = places(json);
    assert_eq!(places.key_place(&["steps".into()]), Some(at(1, 15)));
    let code = |step: usize| ["steps".into(), step.into(), "code".into()];
    assert_eq!(places.place(&code(0)), Some(at(2, 25)));
    assert_eq!(places.place_in_text(&code(0), 2, 1), Some(at(2, 25)));
    assert_eq!(places.place_in_text(&code(1), 1, 3), Some(at(3, 28)));
}

#[test]
fn a_later_fault_is_where_its_value_is_or_should_be() {
    let places = places(TEXT);
    let action = ["steps".into(), 1.into(), "action".into()];
    assert_eq!(
        places.fault(&action, "is not known").to_string(),
        "line 15, column 29: steps[1].action: is not known"
    );
    let missing = ["steps".into(), 1.into(), "props".into(), "url".into()];
    assert_eq!(
        places.fault(&missing, "is required").to_string(),
        "line 15, column 5: steps[1].props.url: is required"
    );
}
