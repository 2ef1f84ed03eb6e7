// A JSON value as a tree whose nodes open and close. Only what is open is ever looked at.
import { SvelteMap } from 'svelte/reactivity';
import { isContainer, MOST_LINES, sizeOf } from './lines';

/** Trees this small are open from the start, the first levels at least. */
const OPEN_SIZE = 60;
const OPEN_DEPTH = 3;

export type Node = {
  /** The path, unique in the tree. */
  path: string;
  depth: number;
  /** The key or the index; undefined for the value itself. */
  name: string | number | undefined;
  value: unknown;
  /** How many it holds; undefined for what holds nothing by its nature. */
  size: number | undefined;
  open: boolean;
};

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** The path of a part, as code would write it. */
export function pathTo(parent: string, name: string | number): string {
  if (typeof name === 'number') return `${parent}[${name}]`;
  if (!IDENTIFIER.test(name)) return `${parent}[${JSON.stringify(name)}]`;
  return parent === '' ? name : `${parent}.${name}`;
}

export class Tree {
  #value: unknown;
  #root: string;
  #chosen = new SvelteMap<string, boolean>();

  constructor(value: unknown, root: string) {
    this.#value = value;
    this.#root = root;
  }

  toggle(node: Node) {
    this.#chosen.set(node.path, !node.open);
  }

  /** The nodes that can be seen, in order, up to as many as help somebody. */
  get nodes(): Node[] {
    const nodes: Node[] = [];
    const waiting: Omit<Node, 'size' | 'open'>[] = [
      { path: this.#root, depth: 0, name: undefined, value: this.#value },
    ];
    for (let next = waiting.pop(); next && nodes.length < MOST_LINES; next = waiting.pop()) {
      const { value, path, depth } = next;
      const size = isContainer(value) ? sizeOf(value) : undefined;
      const open = size !== undefined && size > 0 && (this.#chosen.get(path) ?? this.#opensItself(depth, size));
      nodes.push({ ...next, size, open });
      if (!open || !isContainer(value)) continue;
      for (const child of childrenOf(value, path, depth + 1).reverse()) waiting.push(child);
    }
    return nodes;
  }

  #opensItself(depth: number, size: number): boolean {
    return depth === 0 || (depth < OPEN_DEPTH && size <= OPEN_SIZE);
  }
}

function childrenOf(value: object, parent: string, depth: number): Omit<Node, 'size' | 'open'>[] {
  const child = (name: string | number, item: unknown) => ({ path: pathTo(parent, name), depth, name, value: item });
  if (Array.isArray(value)) return value.slice(0, MOST_LINES).map((item: unknown, index) => child(index, item));
  const entries: [string, unknown][] = Object.entries(value).slice(0, MOST_LINES);
  return entries.map(([key, item]) => child(key, item));
}
