//! Code that is nested so deeply that reading it would exhaust a stack, and with it end the whole server.
//!
//! Parsers and everything that walks a syntax tree call themselves once for each level. A few kilobytes of `[[[[…` are enough
//! to overflow the stack of an ordinary thread, which no handler can catch. So each file is measured first, on a thread
//! whose stack fits the worst that a file of its size can be.

use std::{io, thread};

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast_visit::Visit;
use tokio::sync::oneshot;

use crate::source::{self, SourceKind};

/// Levels of the syntax tree. Code that people write has a few dozen, a long chain of `+` perhaps a few hundred.
const DEEPEST_TREE: usize = 400;
/// Brackets are also counted in the bare text, where each costs a parser most.
const DEEPEST_BRACKETS: usize = 400;
/// Signs in a row that could all be prefix operators: one level for each byte.
const LONGEST_RUN_OF_SIGNS: usize = 400;
/// Other levels take two bytes of code or more.
const STACK_FOR_EACH_BYTE: usize = if cfg!(debug_assertions) {
    4 << 10
} else {
    1 << 10
};
const LEAST_STACK: usize = 16 << 20;

/// Whether it is safe to read `text` on a thread with [`crate::threads::STACK`].
pub(crate) async fn is_shallow(kind: SourceKind, text: &str) -> io::Result<bool> {
    if deepest_brackets(text) > DEEPEST_BRACKETS
        || longest_run_of_signs(text) > LONGEST_RUN_OF_SIGNS
    {
        return Ok(false);
    }
    if kind == SourceKind::Json {
        return Ok(true);
    }
    let (done, answer) = oneshot::channel();
    let text = text.to_owned();
    thread::Builder::new()
        .stack_size(LEAST_STACK + text.len() * STACK_FOR_EACH_BYTE)
        .spawn(move || {
            let _ = done.send(tree_depth(kind, &text));
        })?;
    let depth = answer.await.map_err(io::Error::other)?;
    Ok(depth <= DEEPEST_TREE)
}

fn deepest_brackets(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn longest_run_of_signs(text: &str) -> usize {
    let (mut run, mut longest) = (0, 0);
    for byte in text.bytes() {
        match byte {
            b'!' | b'~' | b'+' | b'-' => run += 1,
            byte if byte.is_ascii_whitespace() => {}
            _ => run = 0,
        }
        longest = longest.max(run);
    }
    longest
}

fn tree_depth(kind: SourceKind, text: &str) -> usize {
    let allocator = Allocator::default();
    let parsed = source::parse(&allocator, kind, text);
    let mut depth = Depth::default();
    depth.visit_program(&parsed.program);
    depth.deepest
}

#[derive(Default)]
struct Depth {
    current: usize,
    deepest: usize,
}

impl<'a> Visit<'a> for Depth {
    fn enter_node(&mut self, _kind: AstKind<'a>) {
        self.current += 1;
        self.deepest = self.deepest.max(self.current);
    }

    fn leave_node(&mut self, _kind: AstKind<'a>) {
        self.current -= 1;
    }
}
