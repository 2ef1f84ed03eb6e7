// Reads one Rust file: the modules it declares, the names it defines, and the paths it uses.
//
// This is not a parser of Rust. It knows enough of comments, strings, attributes and braces to find paths reliably.

const LITERAL =
  /\/\/[^\n]*|\/\*|b?r(#*)"|b?"(?:[^"\\]|\\[\s\S])*"|b?'(?:[^'\\\n]|\\(?:u\{[^}]*\}|x[0-9a-fA-F]{2}|.))'/g;
const ITEM =
  /\b(?:fn|struct|enum|trait|type|union|static|const(?!\s+fn\b|\s+_))\s+(?:mut\s+)?([A-Za-z_]\w*)|\bmacro_rules!\s*([A-Za-z_]\w*)/g;

/**
 * @typedef {{ path: string[], name: string, isGlob: boolean, isReexport: boolean, line: number }} Use
 * @typedef {{ segments: string[], scope: string[], line: number }} Path
 * @typedef {{ modules: string[], testModules: string[], items: Set<string>, uses: Use[], paths: Path[], words: Set<string> }} Source
 */

/** @returns {Source} */
export function readSource(text) {
  const blanked = blankLiterals(text);
  const { code, testModules } = withoutTests(blanked);
  const { statements, rest } = takeUses(code);
  const blocks = inlineModules(rest);
  const top = topLevel(rest);
  return {
    modules: [...top.matchAll(/\bmod\s+([a-z_]\w*)\s*;/g)].map((match) => match[1]),
    testModules,
    items: new Set([...top.matchAll(ITEM)].map((match) => match[1] ?? match[2])),
    uses: statements.flatMap((statement) => parseUse(statement, lineAt(code, statement.start))),
    paths: pathsIn(rest, blocks),
    words: new Set(rest.match(/[A-Za-z_]\w*/g)),
  };
}

function lineAt(text, index) {
  return text.slice(0, index).split("\n").length;
}

/** As many spaces, with the same line breaks, so that positions stay valid. */
function spaces(text) {
  return text.replace(/[^\n]+/g, (line) => " ".repeat(line.length));
}

function blank(text, start, end) {
  return text.slice(0, start) + spaces(text.slice(start, end)) + text.slice(end);
}

function blankLiterals(text) {
  let result = "";
  let from = 0;
  LITERAL.lastIndex = 0;
  for (let match = LITERAL.exec(text); match; match = LITERAL.exec(text)) {
    let end = LITERAL.lastIndex;
    if (match[0] === "/*") end = endOfComment(text, match.index);
    else if (match[1] !== undefined) end = endOfRawString(text, end, match[1]);
    result += text.slice(from, match.index) + spaces(text.slice(match.index, end));
    from = end;
    LITERAL.lastIndex = end;
  }
  return result + text.slice(from);
}

function endOfComment(text, start) {
  let depth = 0;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  for (let match = marks.exec(text); match; match = marks.exec(text)) {
    depth += match[0] === "/*" ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return text.length;
}

function endOfRawString(text, start, hashes) {
  const end = text.indexOf(`"${hashes}`, start);
  return end < 0 ? text.length : end + 1 + hashes.length;
}

/** The index behind the bracket that closes the one at `open`. */
function closing(text, open) {
  let depth = 0;
  for (let index = open; index < text.length; index += 1) {
    if ("{([".includes(text[index])) depth += 1;
    if ("})]".includes(text[index])) depth -= 1;
    if (depth === 0) return index + 1;
  }
  return text.length;
}

/** Blanks every item under `#[cfg(test)]`, and names the modules among them that are files. */
function withoutTests(text) {
  let code = text;
  const testModules = [];
  const attribute = /#\[cfg\((?:test|all\(test\b[^\]]*)\)\]/g;
  for (let match = attribute.exec(code); match; match = attribute.exec(code)) {
    const end = endOfItem(code, attribute.lastIndex);
    const file = /\bmod\s+([a-z_]\w*)\s*;/.exec(code.slice(match.index, end));
    if (file) testModules.push(file[1]);
    code = blank(code, match.index, end);
  }
  return { code, testModules };
}

/** An item ends with its block or, when it has none, with its semicolon. */
function endOfItem(text, start) {
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === ";") return index + 1;
    if (text[index] === "{") {
      const end = closing(text, index);
      // The braces of `use a::{b, c};` are not a block.
      if (!/^\s*(?:pub(?:\([^)]*\))?\s+)?use\b/.test(text.slice(start, index))) return end;
      index = end - 1;
    } else if (text[index] === "(" || text[index] === "[") index = closing(text, index) - 1;
  }
  return text.length;
}

function takeUses(code) {
  const statements = [];
  let rest = code;
  for (const match of code.matchAll(/(?<![\w#])(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);/g)) {
    statements.push({ start: match.index, isReexport: match[1] !== undefined, tree: match[2] });
    rest = blank(rest, match.index, match.index + match[0].length);
  }
  return { statements, rest };
}

/** `a::{b, c as d}` is two uses. */
function parseUse({ tree, isReexport }, line) {
  const uses = [];
  const add = (path, alias) => {
    const isGlob = path.at(-1) === "*";
    const target = isGlob || path.at(-1) === "self" ? path.slice(0, -1) : path;
    const kept = target.length === 0 ? path : target;
    uses.push({ path: kept, name: alias ?? kept.at(-1), isGlob, isReexport, line });
  };
  const walk = (text, before) => {
    const open = text.indexOf("{");
    if (open < 0) {
      const [path, alias] = text.split(/\s+as\s+/);
      add([...before, ...segmentsOf(path)], alias?.trim());
      return;
    }
    const prefix = [...before, ...segmentsOf(text.slice(0, open))];
    for (const part of splitList(text.slice(open + 1, text.lastIndexOf("}")))) walk(part, prefix);
  };
  walk(tree, []);
  return uses;
}

function segmentsOf(path) {
  return path
    .split("::")
    .map((segment) => segment.trim().replace(/^r#/, ""))
    .filter((segment) => segment !== "");
}

function splitList(text) {
  const parts = [];
  let depth = 0;
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === "{") depth += 1;
    if (text[index] === "}") depth -= 1;
    if (text[index] === "," && depth === 0) {
      parts.push(text.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, text.slice(from)].filter((part) => part.trim() !== "");
}

/** Modules with a block in this file: `super` inside of one is the file itself. */
function inlineModules(code) {
  return [...code.matchAll(/\bmod\s+([a-z_]\w*)\s*\{/g)].map((match) => {
    const open = match.index + match[0].length - 1;
    return { name: match[1], start: open, end: closing(code, open) };
  });
}

/** The code without the content of any braces. */
function topLevel(code) {
  let result = "";
  let from = 0;
  for (let open = code.indexOf("{"); open >= 0; open = code.indexOf("{", from)) {
    const end = closing(code, open);
    result += code.slice(from, open) + spaces(code.slice(open, end));
    from = end;
  }
  return result + code.slice(from);
}

function pathsIn(text, blocks) {
  const code = text.replace(/\bpub\s*\([^)]*\)/g, spaces);
  return [...code.matchAll(/(?<![\w:.])(?:r#)?[a-z_]\w*(?:\s*::\s*(?:r#)?[A-Za-z_]\w*)+/g)].map((match) => ({
    segments: segmentsOf(match[0]),
    scope: blocks.filter(({ start, end }) => start < match.index && match.index < end).map(({ name }) => name),
    line: lineAt(code, match.index),
  }));
}
