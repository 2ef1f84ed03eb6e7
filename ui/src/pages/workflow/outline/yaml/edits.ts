// The edits of an outline. Each is checked: the new text must read as the old document with exactly this edit.
import { isMap, isScalar } from 'yaml';
import { copyItem, insertItem, moveItem, type NewItem, newEnv, removeItem, valueOfItem } from './list-edits';
import { type Path, setIn } from './map-edits';
import { freeName } from './names';
import { valueAt } from './nodes';
import type { List, ListName, Outline, Placed, Reader } from './read';
import { renamedReferences } from './references';
import { applyChanges, type Change, equal, inOrder } from './text';

export type Edit = { changes: Change[]; text: string; outline: Outline };

/** The values of both lists and of the other fields. */
type Values = { triggers: unknown[]; steps: unknown[]; others: unknown };
type Expected = (before: Values) => Values;

export class Editing {
  #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  insert(outline: Outline, name: ListName, index: number, item: NewItem): Edit | undefined {
    const at = Math.min(index, outline[name].items.length);
    return this.#checked(outline, insertItem(outline, name, at, item), (before) => ({
      ...before,
      [name]: before[name].toSpliced(at, 0, valueOfItem(item)),
    }));
  }

  remove(outline: Outline, name: ListName, index: number): Edit | undefined {
    return this.#checked(outline, removeItem(outline, outline[name], index), (before) => ({
      ...before,
      [name]: before[name].toSpliced(index, 1),
    }));
  }

  move(outline: Outline, name: ListName, index: number, target: number): Edit | undefined {
    return this.#checked(outline, moveItem(outline, outline[name], index, target), (before) => {
      const values = [...before[name]];
      values.splice(target, 0, ...values.splice(index, 1));
      return { ...before, [name]: values };
    });
  }

  /** Copies an item below itself. A step gets a free name. */
  duplicate(outline: Outline, name: ListName, index: number): Edit | undefined {
    const copied = this.#checked(outline, copyItem(outline, outline[name], index), (before) => ({
      ...before,
      [name]: before[name].toSpliced(index, 0, before[name][index]),
    }));
    if (!copied || name === 'triggers') return copied;
    const original = stepName(outline.steps.items[index]);
    if (original === '') return copied;
    const free = freeName(original, outline.steps.items.map(stepName));
    const named = this.#set(copied.outline, 'steps', index + 1, ['name'], free);
    if (!named) return undefined;
    // The name is inside the inserted text.
    const [inserted] = copied.changes;
    if (!inserted) return undefined;
    const changes = named.changes.map((change) => ({
      ...change,
      from: change.from - inserted.from,
      to: change.to - inserted.from,
    }));
    const insert = applyChanges(inserted.insert, changes);
    return this.#checked(outline, [{ ...inserted, insert }], (before) => ({
      ...before,
      steps: before.steps.toSpliced(index + 1, 0, { ...(before.steps[index] as object), name: free }),
    }));
  }

  /** Sets a field of an item, or removes it with `undefined`. */
  set(outline: Outline, name: ListName, index: number, path: Path, value: unknown): Edit | undefined {
    return this.#set(outline, name, index, path, value);
  }

  /** Renames a step, and with `references` what expressions and code of other steps call it. */
  rename(outline: Outline, index: number, name: string, references: boolean): Edit | undefined {
    const renamed = this.#set(outline, 'steps', index, ['name'], name);
    if (!renamed || !references) return renamed;
    const before = stepName(outline.steps.items[index]);
    const changes = inOrder([...renamed.changes, ...renamedReferences(outline, before, name)]);
    const text = applyChanges(outline.text, changes);
    const reading = this.#reader.read(text);
    if ('error' in reading) return undefined;
    const names = reading.outline.steps.items.map(stepName);
    const expected = outline.steps.items.map((step, at) => (at === index ? name : stepName(step)));
    return equal(names, expected) ? { changes, text, outline: reading.outline } : undefined;
  }

  /** Declares an environment value that is not in the document. */
  declareSecret(outline: Outline, name: string): Edit | undefined {
    const { node, text } = outline.top;
    if (!isMap(node)) return undefined;
    const path: Path = ['env', name];
    const value = { secret: true };
    const inTop = setIn(text, node, path, value)?.map((change) => ({
      ...change,
      from: outline.place(change.from),
      to: outline.place(change.to),
    }));
    return this.#checked(outline, newEnv(outline, name) ?? inTop, (before) => ({
      ...before,
      others: withValue(before.others, path, value),
    }));
  }

  #set(outline: Outline, name: ListName, index: number, path: Path, value: unknown): Edit | undefined {
    const placed = outline[name].items[index];
    if (!placed || !isMap(placed.item.node)) return undefined;
    const { text, node } = placed.item;
    const changes = setIn(text, node, path, value)?.map((change) => ({
      ...change,
      from: change.from + placed.offset,
      to: change.to + placed.offset,
    }));
    return this.#checked(outline, changes, (before) => ({
      ...before,
      [name]: before[name].with(index, withValue(before[name][index], path, value)),
    }));
  }

  #checked(outline: Outline, changes: Change[] | undefined, expected: Expected): Edit | undefined {
    if (!changes) return undefined;
    const text = applyChanges(outline.text, changes);
    const reading = this.#reader.read(text);
    if ('error' in reading) return undefined;
    if (!matches(valuesOf(reading.outline), expected(valuesOf(outline)))) return undefined;
    return { changes: inOrder(changes), text, outline: reading.outline };
  }
}

export function stepName(placed: Placed | undefined): string {
  const node = valueAt(placed?.item.node, 'name');
  return isScalar(node) && node.value !== null ? String(node.value) : '';
}

function valuesOf(outline: Outline): Values {
  const values = (list: List) => list.items.map(({ item }) => item.value);
  const { triggers: _, steps: __, ...others } = (outline.top.value ?? {}) as Record<string, unknown>;
  return { triggers: values(outline.triggers), steps: values(outline.steps), others };
}

/** A removed last prop may take `props` with it. Items that were not read again are the same objects. */
function matches(found: Values, expected: Values): boolean {
  const isSame = (a: unknown, b: unknown) => equal(a, b) || equal(withoutEmpty(a), withoutEmpty(b));
  const areSame = (a: unknown[], b: unknown[]) =>
    a.length === b.length && a.every((one, index) => isSame(one, b[index]));
  const lists = areSame(found.triggers, expected.triggers) && areSame(found.steps, expected.steps);
  return lists && isSame(found.others, expected.others);
}

function withoutEmpty(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([, inner]) => !(isRecord(inner) && Object.keys(inner).length === 0) && inner !== null,
  );
  return Object.fromEntries(kept);
}

function withValue(item: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const map = isRecord(item) ? item : {};
  const inner = withValue(map[key], rest, value);
  const { [key]: _, ...others } = map;
  return inner === undefined ? others : { ...others, [key]: inner };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
