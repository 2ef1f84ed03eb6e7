//! Finding the `{{ … }}` in a text.

/// A text, by what its value is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Template<'a> {
    Text(&'a str),
    /// The value of the expression, of whatever type.
    Whole(Expression<'a>),
    /// Text in which expressions are replaced by their values.
    Mixed(Vec<Part<'a>>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    Text(&'a str),
    Expression(Expression<'a>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expression<'a> {
    /// What is between the braces, without blanks around it.
    pub(crate) source: &'a str,
    /// Where it begins in the text, in bytes.
    pub(crate) offset: usize,
}

/// Braces that make no expression, and where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BracesFault {
    pub(crate) offset: usize,
    pub(crate) message: &'static str,
}

pub(crate) fn split(text: &str) -> Result<Template<'_>, Vec<BracesFault>> {
    let (mut parts, mut faults) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(length) = text[at..].find("{{") {
        let opening = at + length;
        if length > 0 {
            parts.push(Part::Text(&text[at..opening]));
        }
        let inside = opening + 2;
        let mut fault = |message| {
            faults.push(BracesFault {
                offset: opening,
                message,
            });
        };
        let Some(length) = end_of(&text[inside..]) else {
            fault("has {{ without the }} that ends it");
            return Err(faults);
        };
        let written = &text[inside..inside + length];
        let source = written.trim();
        if source.is_empty() {
            fault("has {{ }} with nothing in between");
        }
        let offset = inside + written.len() - written.trim_start().len();
        parts.push(Part::Expression(Expression { source, offset }));
        at = inside + length + 2;
    }
    if at < text.len() {
        parts.push(Part::Text(&text[at..]));
    }
    match parts.as_slice() {
        _ if !faults.is_empty() => Err(faults),
        [] | [Part::Text(_)] => Ok(Template::Text(text)),
        [Part::Expression(whole)] => Ok(Template::Whole(*whole)),
        _ => Ok(Template::Mixed(parts)),
    }
}

/// Where the braces close that opened before `source`: not those in its strings, nor those of its own objects.
fn end_of(source: &str) -> Option<usize> {
    let bytes = source.as_bytes();
    // Open brackets and template literals, the innermost last.
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if open.last() == Some(&b'`') {
            match byte {
                b'\\' => at += 1,
                b'`' => drop(open.pop()),
                b'$' if bytes.get(at + 1) == Some(&b'{') => {
                    open.push(b'{');
                    at += 1;
                }
                _ => {}
            }
        } else {
            match byte {
                b'}' if open.is_empty() => {
                    return (bytes.get(at + 1) == Some(&b'}')).then_some(at);
                }
                b'{' | b'(' | b'[' | b'`' => open.push(byte),
                b'}' | b')' | b']' => drop(open.pop()),
                b'"' | b'\'' => at += length_of_string(&bytes[at..])?,
                _ => {}
            }
        }
        at += 1;
    }
    None
}

/// From the quote that opens it up to the one that closes it.
fn length_of_string(bytes: &[u8]) -> Option<usize> {
    let quote = bytes.first()?;
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            byte if byte == quote => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(source: &str, offset: usize) -> Expression<'_> {
        Expression { source, offset }
    }

    #[test]
    fn text_and_expressions_take_turns() {
        assert_eq!(split("plain }}"), Ok(Template::Text("plain }}")));
        assert_eq!(split("{{ a }}"), Ok(Template::Whole(whole("a", 3))));
        assert_eq!(
            split("x {{a}}{{ b }} y"),
            Ok(Template::Mixed(vec![
                Part::Text("x "),
                Part::Expression(whole("a", 4)),
                Part::Expression(whole("b", 10)),
                Part::Text(" y")
            ]))
        );
    }

    #[test]
    fn braces_inside_an_expression_do_not_end_it() {
        for source in [
            "{ a: { b: 1 } }",
            r#"'}}' + "}}""#,
            "`}} ${ { a: '}' }.a } }}`",
            r"'it\'s }}'",
            "[{ a: {} }]",
        ] {
            let text = format!("{{{{ {source} }}}}");
            assert_eq!(split(&text), Ok(Template::Whole(whole(source, 3))));
        }
    }

    #[test]
    fn braces_that_make_no_expression_are_faults_with_their_place() {
        for text in ["a {{ b", "a {{ b }", "a {{ 'b }}", "a {{ ( }}", "a {{ }}"] {
            let faults = split(text).unwrap_err();
            assert_eq!(faults.iter().map(|f| f.offset).collect::<Vec<_>>(), [2]);
        }
    }
}
