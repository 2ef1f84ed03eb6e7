// XML as a tree. Documents from the web are often not well-formed, and some are hostile.

import { Parser } from "htmlparser2@10.1.0";

const MAX_DEPTH = 64;
const MAX_NODES = 500_000;

/** The root element: `{name, attributes, children}`. Children are elements and texts. Undefined if there is none. */
export function parseXml(text) {
  const top = element("", {});
  const open = [top];
  let nodes = 0;
  const count = () => {
    nodes += 1;
    if (nodes > MAX_NODES) throw new RangeError("The document has too many elements");
  };
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        count();
        if (open.length > MAX_DEPTH) throw new RangeError("The document is nested too deeply");
        const inner = element(name, attributes);
        open.at(-1).children.push(inner);
        open.push(inner);
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
      ontext(content) {
        count();
        open.at(-1).children.push(content);
      },
    },
    // Entities that a document declares are not expanded.
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(text);
  return top.children.find((child) => typeof child !== "string");
}

/** The child elements, by a name or all. */
export function childrenOf(parent, name) {
  const elements = (parent?.children ?? []).filter((child) => typeof child !== "string");
  return name === undefined ? elements : elements.filter((child) => child.name === name);
}

/** The first child with one of the names, in the order of the names. */
export function childOf(parent, ...names) {
  for (const name of names) {
    const [found] = childrenOf(parent, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** All text in an element, trimmed; undefined if there is none. */
export function textIn(parent) {
  if (parent === undefined) return undefined;
  const texts = [];
  collectText(parent, texts);
  return texts.join("").trim() || undefined;
}

/** The text of the first child with one of the names that has a text. */
export function childText(parent, ...names) {
  for (const name of names) {
    for (const child of childrenOf(parent, name)) {
      const text = textIn(child);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/** The markup in an element. */
export function markupIn(parent) {
  const write = (child) => {
    if (typeof child === "string") return escaped(child);
    const attributes = Object.entries(child.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
    return `<${child.name}${attributes.join("")}>${child.children.map(write).join("")}</${child.name}>`;
  };
  return parent.children.map(write).join("").trim() || undefined;
}

function element(name, attributes) {
  return { name, attributes, children: [] };
}

function collectText({ children }, texts) {
  for (const child of children) {
    if (typeof child === "string") texts.push(child);
    else collectText(child, texts);
  }
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
