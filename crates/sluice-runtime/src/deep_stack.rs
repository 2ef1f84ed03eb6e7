//! Parsing people's code on a stack that its worst nesting cannot exhaust: an overflow would end the whole server.

use std::thread;

/// What one byte of code can cost: a parser and what walks its tree call themselves once for each level, and a level
/// can be one byte.
const STACK_FOR_EACH_BYTE: usize = if cfg!(debug_assertions) {
    8 << 10
} else {
    2 << 10
};
const LEAST_STACK: usize = 2 << 20;
/// Brackets deeper than this are nobody's code; they cost more than anything else.
const DEEPEST_BRACKETS: usize = 1_000;

/// Runs `work` on `code`; none when the code is nested so deeply that it cannot be read.
pub(crate) fn with_room_for<T: Send>(code: &str, work: impl FnOnce() -> T + Send) -> Option<T> {
    if deepest_brackets(code) > DEEPEST_BRACKETS {
        return None;
    }
    let stack = LEAST_STACK.saturating_add(code.len().saturating_mul(STACK_FOR_EACH_BYTE));
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(stack);
        thread.spawn_scoped(scope, work).ok()?.join().ok()
    })
}

fn deepest_brackets(code: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in code.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}
