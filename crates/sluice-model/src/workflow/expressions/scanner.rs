//! Finds the end of an expression.

pub(super) const CLOSING: &str = "}}";

/// Scans JavaScript far enough to know which braces are code.
pub(super) struct Scanner<'a> {
    code: &'a [u8],
    at: usize,
    open: Vec<Open>,
    /// The last byte that was not whitespace. A slash after a value divides; elsewhere it begins a regular expression.
    last: Option<u8>,
}

enum Open {
    Brace,
    /// `${` in a template literal.
    Substitution,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(code: &'a str) -> Self {
        Scanner {
            code: code.as_bytes(),
            at: 0,
            open: Vec::new(),
            last: None,
        }
    }

    /// The offset of the closing braces.
    pub(super) fn find_end(mut self) -> Option<usize> {
        while let Some(&byte) = self.code.get(self.at) {
            if byte == b'}' && self.open.is_empty() && self.begins_with(CLOSING) {
                return Some(self.at);
            }
            self.at += 1;
            match byte {
                b'"' | b'\'' => self.skip_string(byte)?,
                b'`' => self.skip_template()?,
                b'{' => self.open.push(Open::Brace),
                b'}' => {
                    if let Some(Open::Substitution) = self.open.pop() {
                        self.skip_template()?;
                    }
                }
                b'/' => self.skip_slash()?,
                _ => {}
            }
            if !byte.is_ascii_whitespace() {
                self.last = Some(byte);
            }
        }
        None
    }

    fn begins_with(&self, text: &str) -> bool {
        self.code[self.at..].starts_with(text.as_bytes())
    }

    fn skip_string(&mut self, quote: u8) -> Option<()> {
        loop {
            let byte = *self.code.get(self.at)?;
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == quote {
                return Some(());
            }
        }
    }

    /// To the end of a template literal, or into its next substitution.
    fn skip_template(&mut self) -> Option<()> {
        loop {
            let byte = *self.code.get(self.at)?;
            if self.begins_with("${") {
                self.at += 2;
                self.open.push(Open::Substitution);
                return Some(());
            }
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'`' {
                return Some(());
            }
        }
    }

    /// After a slash: a comment, a regular expression or a division.
    fn skip_slash(&mut self) -> Option<()> {
        match self.code.get(self.at)? {
            b'/' => {
                // The closing braces end a line comment too, because most expressions are one line.
                while *self.code.get(self.at)? != b'\n' && !self.begins_with(CLOSING) {
                    self.at += 1;
                }
                Some(())
            }
            b'*' => {
                self.at += 1;
                while !self.begins_with("*/") {
                    self.code.get(self.at)?;
                    self.at += 1;
                }
                self.at += 2;
                Some(())
            }
            _ if self.ends_value() => Some(()),
            _ => self.skip_pattern(),
        }
    }

    fn ends_value(&self) -> bool {
        self.last.is_some_and(|byte| {
            byte.is_ascii_alphanumeric()
                || !byte.is_ascii()
                || matches!(byte, b'_' | b'$' | b')' | b']' | b'}' | b'"' | b'\'' | b'`')
        })
    }

    fn skip_pattern(&mut self) -> Option<()> {
        let mut in_class = false;
        loop {
            let byte = *self.code.get(self.at)?;
            self.at += if byte == b'\\' { 2 } else { 1 };
            match byte {
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => return Some(()),
                _ => {}
            }
        }
    }
}
