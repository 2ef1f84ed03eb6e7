// References to other steps in expressions and code: `steps.name` and `steps["name"]`.
import { isScalar, visit } from 'yaml';
import { type ItemNode, valueAt } from './nodes';
import type { Outline, Placed } from './read';
import type { Change } from './text';

export type Reference = {
  name: string;
  from: number;
  to: number /** In an expression, not in code. */;
  expression: boolean;
};

const DOTTED = /(?<![\w$.])steps\s*\??\.\s*([A-Za-z_]\w*)/g;
const QUOTED = /(?<![\w$.])steps\s*(?:\?\.)?\s*\[\s*\\?["'`]([A-Za-z_]\w*)\\?["'`]\s*\]/g;

/** References in a text, with positions in it. */
export function referencesIn(text: string): { name: string; from: number; to: number }[] {
  return [DOTTED, QUOTED].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const name = match[1] ?? '';
      const from = match.index + match[0].lastIndexOf(name);
      return { name, from, to: from + name.length };
    }),
  );
}

const found = new WeakMap<ItemNode, Reference[]>();

/** The references of a step, with positions in the text of the item. Comments are not read. */
export function referencesOf(item: ItemNode): Reference[] {
  const known = found.get(item);
  if (known) return known;
  const references: Reference[] = [];
  const add = (node: unknown, expression: boolean) => {
    if (!isScalar(node) || typeof node.value !== 'string' || !node.range) return;
    if (expression && !node.value.includes('{{')) return;
    const [from, to] = node.range;
    const added = referencesIn(item.text.slice(from, to));
    references.push(...added.map((one) => ({ name: one.name, from: from + one.from, to: from + one.to, expression })));
  };
  add(valueAt(item.node, 'code'), false);
  const props = valueAt(item.node, 'props');
  if (props) visit(props, { Scalar: (_, node) => add(node, true) });
  found.set(item, references);
  return references;
}

/** The changes that give references in steps a new name. */
export function renamedReferences(outline: Outline, before: string, name: string): Change[] {
  return outline.steps.items.flatMap(({ item, offset }) =>
    referencesOf(item)
      .filter((one) => one.name === before)
      .map(({ from, to }) => ({ from: from + offset, to: to + offset, insert: name })),
  );
}

/** The number of references of other steps to a step. */
export function referenceCount(steps: Placed[], name: string): number {
  return steps.reduce((sum, { item }) => sum + referencesOf(item).filter((one) => one.name === name).length, 0);
}
