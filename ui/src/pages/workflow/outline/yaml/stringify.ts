// New values as YAML.
import { Document, isCollection, isMap, isScalar, type Scalar } from 'yaml';

export type Style = {
  /** The column of the key. */
  column: number;
  /** Inside `{ }` or `[ ]`. */
  flow: boolean;
  /** The document is JSON. */
  json: boolean;
  /** No text over several lines, for example because a comment follows. */
  oneLine?: boolean;
  /** The kind of quotes of the value before. */
  quotes?: Scalar.Type | undefined;
  /** Lists and objects over several lines, as they were before. */
  block?: boolean;
  /** The number of outer objects that are over several lines in any case. */
  outer?: number;
};

const OPTIONS = { lineWidth: 0, indent: 2, minContentWidth: 0, doubleQuotedMinMultiLineLength: 1e9 } as const;
/** Short lists and objects are on one line. */
const SHORT = 60;
const QUOTES = ['QUOTE_DOUBLE', 'QUOTE_SINGLE'];

/** A key with its value. The first line is not indented. */
export function pairText(key: string, value: unknown, style: Style): string {
  const name = style.json ? JSON.stringify(key) : keyText(key);
  return `${name}:${valueText(value, style)}`;
}

/** The text after a colon. */
export function valueText(value: unknown, style: Style): string {
  if (style.json) return ` ${JSON.stringify(value)}`;
  if (style.flow) return ` ${flowText(value, style)}`;
  const doc = new Document({ k: value });
  const node = doc.get('k', true) as unknown;
  if (isScalar(node)) {
    if (style.oneLine && /[\n\r]/.test(String(node.value))) node.type = 'QUOTE_DOUBLE';
    else if (style.quotes && QUOTES.includes(style.quotes) && !String(node.value).includes('\n'))
      node.type = style.quotes;
  } else if (isCollection(node) && (style.oneLine || !style.block)) {
    const inner = style.oneLine ? node : innerNode(node, style.outer ?? 0);
    if (isCollection(inner) && (style.oneLine || isShort(inner.toJSON()))) inner.flow = true;
  }
  const text = doc.toString(OPTIONS).trimEnd().slice(2);
  // The last line end is that of the line. Further ones belong to the value (`|+`).
  const ends = typeof value === 'string' ? (/\n*$/.exec(value)?.[0].length ?? 0) : 0;
  return indented(`${text}${'\n'.repeat(Math.max(ends - 1, 0))}`, style.column);
}

/** Indents all lines but the first. Empty lines stay empty. */
export function indented(text: string, column: number): string {
  return text.replace(/\n(?!\n|$)/g, `\n${' '.repeat(column)}`);
}

/** The value below a number of objects with one field. */
function innerNode(node: unknown, levels: number): unknown {
  if (levels === 0 || !isMap(node)) return node;
  return innerNode(node.items[0]?.value, levels - 1);
}

function flowText(value: unknown, { quotes }: Style): string {
  const doc = new Document([value]);
  const list = doc.contents as { flow?: boolean; items: unknown[] };
  list.flow = true;
  const [node] = list.items;
  if (isScalar(node)) {
    if (/[\n\r]/.test(String(node.value))) node.type = 'QUOTE_DOUBLE';
    else if (quotes && QUOTES.includes(quotes)) node.type = quotes;
  }
  const text = doc.toString(OPTIONS).trim();
  // Strings with several lines inside of objects are not on one line.
  return text.includes('\n') ? JSON.stringify(value) : text.slice(1, -1).trim();
}

function keyText(key: string): string {
  return new Document({ [key]: 0 }).toString(OPTIONS).trim().slice(0, -3);
}

function isShort(value: unknown): boolean {
  const text = JSON.stringify(value) ?? '';
  return text.length <= SHORT && !text.includes('\\n');
}
