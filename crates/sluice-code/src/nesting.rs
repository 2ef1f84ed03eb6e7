//! The guard against code that is nested so deeply that parsing it overflows the stack.
//!
//! Parsers and visitors recurse once per level. A few kilobytes of `[[[[…` overflow the stack of an ordinary thread, and
//! a stack overflow ends the whole server. So user code is only parsed on a thread whose stack fits the deepest nesting
//! that code of its length can have.

use std::thread;

/// Levels of brackets, and prefix operators in a row, that are parsed at all. Each takes one byte of code and much stack.
const MAX_PARSED: usize = 1_000;
/// Levels other than brackets and prefix operators take two bytes of code or more.
const STACK_PER_BYTE: usize = if cfg!(debug_assertions) {
    4 << 10
} else {
    1 << 10
};
const MIN_STACK: usize = 16 << 20;

pub(crate) const TOO_DEEP: &str = "SyntaxError: the code is nested too deeply";

/// Runs `work`, which parses `code`, on a stack that is large enough. Returns `None` if the code is nested too deeply or
/// the thread does not start.
pub(crate) fn with_stack_for<T: Send>(code: &str, work: impl FnOnce() -> T + Send) -> Option<T> {
    if text_depth(code) > MAX_PARSED {
        return None;
    }
    let stack = MIN_STACK.saturating_add(code.len().saturating_mul(STACK_PER_BYTE));
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(stack);
        thread.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

/// The levels that a parser can meet in a text: nested brackets, or prefix operators in a row.
fn text_depth(text: &str) -> usize {
    let (mut brackets, mut operators, mut deepest) = (0_usize, 0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => brackets += 1,
            b')' | b']' | b'}' => brackets = brackets.saturating_sub(1),
            _ => {}
        }
        match byte {
            b'!' | b'~' | b'+' | b'-' => operators += 1,
            byte if byte.is_ascii_whitespace() => {}
            _ => operators = 0,
        }
        deepest = deepest.max(brackets).max(operators);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_prefix_operators_are_counted() {
        assert_eq!(text_depth("({[1]})"), 3);
        assert_eq!(text_depth("! ~\n-x"), 3);
        assert_eq!(text_depth("()()()"), 1);
    }

    #[test]
    fn code_that_is_too_deep_is_not_parsed() {
        assert_eq!(with_stack_for(&"[".repeat(MAX_PARSED), || 1), Some(1));
        assert_eq!(with_stack_for(&"[".repeat(MAX_PARSED + 1), || 1), None);
    }
}
