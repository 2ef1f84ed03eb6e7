// Reads a document as an outline: the items of `triggers` and `steps` with their positions.
import { type Document, isAlias, isMap, isSeq, type Node, parseDocument } from 'yaml';
import { type ItemNode, isAbsent, isFlow, valueAt } from './nodes';
import { scanSteps } from './scan';
import { trimmedEnd } from './text';
import { blockUnits, flowUnits, type Units } from './units';

export type ListName = 'triggers' | 'steps';

/** An item, and where its text is in the document. */
export type Placed = {
  item: ItemNode;
  /** The position of `item.text` in the document. */
  offset: number;
};

export type List = {
  /** `missing` has no items and gets its key with the first one. A list of kind `other` cannot be changed. */
  kind: 'block' | 'flow' | 'missing' | 'other';
  items: Placed[];
  /** The text of each item, and the text between items. */
  units: Units;
};

export type Outline = {
  text: string;
  /** The document, without the steps if `stepsApart`. */
  top: ItemNode;
  /** Maps a position of `top` to the document. */
  place: (at: number) => number;
  triggers: List;
  steps: List;
};

export type Reading = { outline: Outline } | { error: string };

type Whole = Omit<Outline, 'text'>;
const OPTIONS = { uniqueKeys: true, stringKeys: false, strict: true, logLevel: 'silent' } as const;
const PLACEHOLDER = '- 0\n';
const NO_UNITS: Units = { from: [], to: [] };

/** Reads documents. Steps that were read before are not parsed again. */
export class Reader {
  #items = new Map<string, ItemNode>();
  #last: Reading & { text: string } = { text: '', error: '' };

  read(text: string): Reading {
    if (this.#last.text === text && text !== '') return this.#last;
    const reading = this.#read(text);
    this.#last = { ...reading, text };
    return reading;
  }

  #read(text: string): Reading {
    const quick = this.#byItem(text);
    if (quick) return { outline: { ...quick, text } };
    const whole = parse(text);
    if (typeof whole === 'string') return { error: whole };
    if (whole.node !== null && !isMap(whole.node)) return { error: 'The document is not a map of fields.' };
    const list = (name: ListName) => listOf(text, whole, name, 0);
    return { outline: { text, top: whole, place: (at) => at, triggers: list('triggers'), steps: list('steps') } };
  }

  /** Parses each step on its own. Undefined if the result could differ from that of the whole document. */
  #byItem(text: string): Whole | undefined {
    const scan = scanSteps(text);
    if (!scan) return undefined;
    const { from, to, column } = scan;
    const used = new Map<string, ItemNode>();
    const skeleton = `${text.slice(0, from)}${' '.repeat(column)}${PLACEHOLDER}${text.slice(to)}`;
    const top = this.#item(skeleton, used, parse);
    const stepsNode = valueAt(top?.node, 'steps');
    if (!top || !isSeq(stepsNode) || stepsNode.items.length !== 1) return undefined;
    const items: Placed[] = [];
    for (const chunk of scan.chunks) {
      const item = this.#item(text.slice(chunk.from, chunk.to), used, parseItem);
      if (!item) return undefined;
      items.push({ item, offset: chunk.from });
    }
    this.#items = used;
    const shift = to - from - column - PLACEHOLDER.length;
    const end = trimmedEnd(text, from, to);
    // Positions beside the placeholder are those of the last step.
    const place = (at: number) => (at <= from ? at : at < from + column + PLACEHOLDER.length ? end : at + shift);
    const triggers = listOf(skeleton, top, 'triggers', 0);
    const after = triggers.items.length > 0 && (triggers.units.from[0] ?? 0) >= from ? shift : 0;
    return {
      top,
      place,
      triggers: after === 0 ? triggers : shifted(triggers, after),
      steps: { kind: 'block', items, units: blockUnits(text, items, from, to, column) },
    };
  }

  #item(text: string, used: Map<string, ItemNode>, parse: (text: string) => ItemNode | string): ItemNode | undefined {
    const known = this.#items.get(text) ?? parse(text);
    if (typeof known === 'string') return undefined;
    used.set(text, known);
    return known;
  }
}

function parse(text: string): ItemNode | string {
  const doc = parseDocument(text, OPTIONS);
  const [error] = doc.errors;
  if (error) return error.message.split('\n')[0] ?? 'The document has errors.';
  return itemOf(text, doc as Document, (doc.contents ?? null) as Node | null);
}

/** Parses the lines of one step. */
function parseItem(text: string): ItemNode | string {
  const read = parse(text);
  if (typeof read === 'string') return read;
  const { node, doc } = read;
  if (!isSeq(node) || node.items.length !== 1) return 'The step is not one item.';
  return itemOf(text, doc, (node.items[0] ?? null) as Node | null);
}

function itemOf(text: string, doc: Document, node: Node | null): ItemNode | string {
  try {
    return { text, doc, node, value: node ? node.toJS(doc, { maxAliasCount: 1000 }) : null };
  } catch (error) {
    // Unknown aliases, or too many of them.
    return error instanceof Error ? error.message : String(error);
  }
}

function listOf(text: string, whole: ItemNode, name: ListName, offset: number): List {
  const node = valueAt(whole.node, name);
  if (!node || (isAbsent(node) && !isFlowRoot(whole))) return { kind: 'missing', items: [], units: NO_UNITS };
  if (!isSeq(node) || isAlias(node)) return { kind: 'other', items: [], units: NO_UNITS };
  const items = node.items.map((item): Placed => {
    const read = itemOf(text, whole.doc, (item ?? null) as Node | null);
    return { item: typeof read === 'string' ? { text, doc: whole.doc, node: null, value: null } : read, offset };
  });
  if (isFlow(node)) return { kind: 'flow', items, units: flowUnits(text, node) };
  const start = node.range?.[0] ?? 0;
  const column = start - (text.lastIndexOf('\n', start - 1) + 1);
  return { kind: 'block', items, units: blockUnits(text, items, start - column, undefined, column) };
}

function isFlowRoot({ node }: ItemNode): boolean {
  return node !== null && isFlow(node);
}

function shifted(list: List, by: number): List {
  const units = { from: list.units.from.map((at) => at + by), to: list.units.to.map((at) => at + by) };
  return { ...list, units, items: list.items.map((placed) => ({ ...placed, offset: placed.offset + by })) };
}
