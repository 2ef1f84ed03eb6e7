// Crates of a few files, written to a temporary folder, and the cycles that are found in them.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { cyclesOf, edgesOf } from "./graph.mjs";
import { readCrate } from "./modules.mjs";
import { readSource } from "./rust-source.mjs";

/** The edges among files such as `{ "lib.rs": "mod a;" }`, each as `from -> to`. */
function edges(files) {
  const folder = mkdtempSync(join(tmpdir(), "cycles-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder, "src", name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const name = (file) => relative(join(folder, "src"), file);
    const found = readCrate(folder).flatMap(edgesOf);
    return found.map(({ from, to }) => ({ from: name(from), to: name(to) }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const arrows = (files) => edges(files).map(({ from, to }) => `${from} -> ${to}`);

test("files that import each other are a cycle", () => {
  const found = edges({
    "lib.rs": "mod a; mod b; mod c;",
    "a.rs": "use crate::b::B; pub struct A;",
    "b.rs": "use super::{c::C}; pub struct B;",
    "c.rs": "pub struct C; fn f(_: crate::a::A) {}",
  });
  assert.deepEqual(cyclesOf(found), [["a.rs", "b.rs", "c.rs"]]);
  assert.deepEqual(cyclesOf(found.slice(1)), []);
});

test("a re-exported name leads to the file that defines it", () => {
  const found = arrows({
    "lib.rs": "pub mod part; pub use part::{Inner as Outer, Other};",
    "part/mod.rs": "mod inner; mod other; pub use inner::*; pub use self::other::Other;",
    "part/inner.rs": "pub struct Inner;",
    "part/other.rs": "use crate::Outer; pub struct Other;",
  });
  assert.deepEqual(found, ["part/other.rs -> part/inner.rs"]);
});

test("a module that uses what it re-exports imports it", () => {
  const found = edges({
    "lib.rs": "mod a; pub use a::A; pub struct Whole { a: A }",
    "a.rs": "use crate::Whole; pub struct A;",
  });
  assert.deepEqual(cyclesOf(found), [["a.rs", "lib.rs"]]);
});

test("paths through an imported or declared module count where they are used", () => {
  const found = arrows({
    "lib.rs": "mod a; mod b; fn f() { a::run() }",
    "a.rs": "use crate::b; pub fn run() { b::stop() }",
    "b.rs": "mod deep; pub use deep::stop;",
    "b/deep.rs": "pub fn stop() {}",
  });
  assert.deepEqual(found, ["lib.rs -> a.rs", "a.rs -> b/deep.rs"]);
});

test("declarations, tests, comments, strings and other crates are no imports", () => {
  const found = arrows({
    "lib.rs": "mod a; #[cfg(test)] mod checks; #[cfg(test)] mod tests { use crate::a::A; }",
    "a.rs": `//! See crate::Top.
      use std::a::b; pub struct A; pub(in crate::b) struct P;
      const TEXT: &str = "crate::b"; const RAW: &str = r#"crate::b " "#; /* crate::b /* crate::b */ */
      fn quote<'a>(_: &'a str) -> char { '"' }
      #[cfg(test)] use crate::b::{B, C};`,
    "checks.rs": "use crate::a::A;",
  });
  assert.deepEqual(found, []);
});

test("super leaves a module with a block first", () => {
  const found = arrows({
    "lib.rs": "mod a; mod b;",
    "a.rs": "pub struct A; mod inner { fn f(_: super::A, _: super::super::b::B) {} }",
    "b.rs": "pub struct B;",
  });
  assert.deepEqual(found, ["a.rs -> b.rs"]);
});

test("a path has its line", () => {
  const { uses, paths } = readSource("// one\nuse crate::a;\nfn f() {\n  crate::b::g()\n}\n");
  assert.equal(uses[0].line, 2);
  assert.equal(paths[0].line, 4);
});
