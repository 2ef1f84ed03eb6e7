// Templates with values, sections and inverted sections. They run no code.

import { ConfigurationError } from "../../common/errors.mjs";
import { parsePath, valueAt } from "../../common/json_path.mjs";

const MAX_LENGTH = 1_000_000;
const MAX_DEPTH = 50;
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const FORMATS = {
  text: (text) => text,
  html: (text) => text.replace(/[&<>"']/g, (char) => ESCAPES[char]),
  // A value stands between the quotes of a string.
  json: (text) => JSON.stringify(text).slice(1, -1),
};

/** The nodes of a template: texts, values and sections. */
export function parseTemplate(template, [open, close]) {
  const top = { nodes: [] };
  const sections = [top];
  let position = 0;
  for (;;) {
    const start = template.indexOf(open, position);
    if (start < 0) break;
    sections.at(-1).nodes.push(template.slice(position, start));
    const end = template.indexOf(close, start + open.length);
    if (end < 0) throw new ConfigurationError(`A tag is not closed: ${template.slice(start, start + 30)}`);
    addTag(template.slice(start + open.length, end).trim(), sections);
    position = end + close.length;
  }
  if (sections.length > 1) throw new ConfigurationError(`The section ${sections.at(-1).name} is not closed`);
  top.nodes.push(template.slice(position));
  return top.nodes;
}

export function render(nodes, values, format) {
  const output = { parts: [], length: 0 };
  write(nodes, [values], FORMATS[format] ?? FORMATS.text, output);
  return output.parts.join("");
}

function addTag(tag, sections) {
  const kind = "#^/!&".includes(tag.charAt(0)) ? tag.charAt(0) : "";
  const name = tag.slice(kind.length).trim();
  const parent = sections.at(-1);
  switch (kind) {
    case "!":
      return;
    case "#":
    case "^": {
      if (sections.length > MAX_DEPTH) throw new ConfigurationError("The sections are nested too deeply");
      const section = { name, path: pathOf(name), isInverted: kind === "^", nodes: [] };
      parent.nodes.push(section);
      sections.push(section);
      return;
    }
    case "/":
      if (parent.name !== name) throw new ConfigurationError(`The section ${name} is closed, but not open`);
      sections.pop();
      return;
    default:
      parent.nodes.push({ path: pathOf(name), isRaw: kind === "&" });
  }
}

function pathOf(name) {
  if (name === "") throw new ConfigurationError("A tag has no name");
  return name === "." ? [] : parsePath(name, "A tag");
}

function write(nodes, scopes, quote, output) {
  for (const node of nodes) {
    if (typeof node === "string") add(node, output);
    else if (node.nodes !== undefined) writeSection(node, scopes, quote, output);
    else add(shown(find(node.path, scopes), node.isRaw ? FORMATS.text : quote), output);
  }
}

function writeSection({ path, isInverted, nodes }, scopes, quote, output) {
  const value = find(path, scopes);
  const items = Array.isArray(value) ? value : isEmpty(value) ? [] : [value];
  if (isInverted) {
    if (items.length === 0) write(nodes, scopes, quote, output);
    return;
  }
  for (const item of items) write(nodes, [...scopes, item], quote, output);
}

// The innermost scope that has the first part of a path decides.
function find(path, scopes) {
  if (path.length === 0) return scopes.at(-1);
  for (const scope of scopes.toReversed()) {
    if (scope !== null && typeof scope === "object" && Object.hasOwn(scope, path[0])) return valueAt(scope, path);
  }
  return undefined;
}

function isEmpty(value) {
  return value === undefined || value === null || value === false || value === "" || value === 0;
}

function shown(value, quote) {
  if (value === undefined || value === null) return "";
  return quote(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function add(text, output) {
  output.length += text.length;
  if (output.length > MAX_LENGTH) throw new RangeError(`The text is longer than ${MAX_LENGTH} characters`);
  output.parts.push(text);
}
