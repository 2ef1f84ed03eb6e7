// A JSON value as a collapsible tree. Only open nodes are visited.
import { SvelteMap } from 'svelte/reactivity';
import { isContainer, MAX_LINES, sizeOf } from './lines';

/** Nodes up to this size are open initially, down to this depth. */
const OPEN_SIZE = 60;
const OPEN_DEPTH = 3;

export type Node = {
  /** The path, unique in the tree. */
  path: string;
  depth: number;
  /** The key or the index; undefined for the root. */
  name: string | number | undefined;
  value: unknown;
  /** The number of children; undefined for primitive values. */
  size: number | undefined;
  open: boolean;
};

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** The path of a child as a JavaScript expression. */
export function pathTo(parent: string, name: string | number): string {
  if (typeof name === 'number') return `${parent}[${name}]`;
  if (!IDENTIFIER.test(name)) return `${parent}[${JSON.stringify(name)}]`;
  return parent === '' ? name : `${parent}.${name}`;
}

export class Tree {
  #value: unknown;
  #root: string;
  #toggled = new SvelteMap<string, boolean>();

  constructor(value: unknown, root: string) {
    this.#value = value;
    this.#root = root;
  }

  toggle(node: Node) {
    this.#toggled.set(node.path, !node.open);
  }

  /** The visible nodes in order, up to the limit. */
  get nodes(): Node[] {
    const nodes: Node[] = [];
    const stack: Omit<Node, 'size' | 'open'>[] = [{ path: this.#root, depth: 0, name: undefined, value: this.#value }];
    for (let next = stack.pop(); next && nodes.length < MAX_LINES; next = stack.pop()) {
      const { value, path, depth } = next;
      const size = isContainer(value) ? sizeOf(value) : undefined;
      const open = size !== undefined && size > 0 && (this.#toggled.get(path) ?? this.#isInitiallyOpen(depth, size));
      nodes.push({ ...next, size, open });
      if (!open || !isContainer(value)) continue;
      for (const child of childrenOf(value, path, depth + 1).reverse()) stack.push(child);
    }
    return nodes;
  }

  #isInitiallyOpen(depth: number, size: number): boolean {
    return depth === 0 || (depth < OPEN_DEPTH && size <= OPEN_SIZE);
  }
}

function childrenOf(value: object, parent: string, depth: number): Omit<Node, 'size' | 'open'>[] {
  const child = (name: string | number, item: unknown) => ({ path: pathTo(parent, name), depth, name, value: item });
  if (Array.isArray(value)) return value.slice(0, MAX_LINES).map((item: unknown, index) => child(index, item));
  const entries: [string, unknown][] = Object.entries(value).slice(0, MAX_LINES);
  return entries.map(([key, item]) => child(key, item));
}
