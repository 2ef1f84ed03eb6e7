// Completion of `steps.` and `event.` in an editor, in expressions and in code, and types on hover.
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { EditorState, type Extension } from '@codemirror/state';
import { type EditorView, hoverTooltip } from '@codemirror/view';
import { methodsOf } from './expression/methods';
import {
  entriesOf,
  isWithin,
  type Path,
  pathAt,
  pathBefore,
  pathText,
  preview,
  type Scope,
  typeOf,
  valueAt,
} from './paths';

const ROOTS: Completion[] = [
  { label: 'event', type: 'variable', detail: 'the event of the run' },
  { label: 'steps', type: 'variable', detail: 'exports of earlier steps' },
  { label: 'process.env', type: 'variable', detail: 'the environment' },
];

/** `scope` is read at each use, so that results of tests are known at once. */
export function dataSupport(scope: () => Scope): Extension {
  const autocomplete = (context: CompletionContext) => complete(scope(), context);
  return [EditorState.languageData.of(() => [{ autocomplete }]), hoverValues(scope)];
}

function complete(scope: Scope, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const line = state.doc.lineAt(pos);
  const text = line.text.slice(0, pos - line.from);
  const before = pathBefore(text);
  if (!before) return isWithin(text) ? roots(text, pos, explicit) : null;
  const value = valueAt(scope, before.path);
  const options = [...parts(value, before.path), ...methods(value)];
  return options.length > 0 ? { from: pos - before.typed.length, options, validFor: /^[\w$]*$/ } : null;
}

/** The names that an expression can begin with. */
function roots(text: string, pos: number, explicit: boolean): CompletionResult | null {
  const typed = /(?<![\w$.'"`\])])[A-Za-z]*$/.exec(text)?.[0];
  if (typed === undefined || (typed === '' && !explicit)) return null;
  return { from: pos - typed.length, options: ROOTS, validFor: /^[a-z]*$/ };
}

function parts(value: unknown, path: Path): Completion[] {
  // The first item stands for all.
  const entries = Array.isArray(value) ? entriesOf(value).slice(0, 1) : entriesOf(value);
  return entries.map(({ key, value }) => ({
    label: String(key),
    type: 'property',
    boost: 1,
    ...described(value, path),
    ...(isName(key) ? {} : { displayLabel: pathText(['', key]), apply: inBrackets(key) }),
  }));
}

function described(value: unknown, path: Path): Pick<Completion, 'detail' | 'info'> {
  if (value !== undefined) return { detail: typeOf(value), info: preview(value) };
  return { detail: path[0] === 'process' ? 'secret' : 'no data yet' };
}

function methods(value: unknown): Completion[] {
  const found = Object.entries(methodsOf(value));
  const length =
    typeof value === 'string' || Array.isArray(value)
      ? [{ label: 'length', type: 'property', detail: 'number', info: String(value.length) }]
      : [];
  return [...length, ...found.map(([label, info]) => ({ label, type: 'method', info, apply: `${label}(` }))];
}

const isName = (key: string | number) => /^[A-Za-z_$][\w$]*$/.test(String(key));

/** Other keys need brackets in place of the dot; after `?.` both stay. */
function inBrackets(key: string | number) {
  return (view: EditorView, _: Completion, from: number, to: number) => {
    const isOptional = view.state.sliceDoc(from - 2, from) === '?.';
    const insert = `[${JSON.stringify(key)}]`;
    const start = isOptional ? from : from - 1;
    view.dispatch({
      changes: { from: start, to, insert },
      selection: { anchor: start + insert.length },
      userEvent: 'input.complete',
    });
  };
}

function hoverValues(scope: () => Scope): Extension {
  return hoverTooltip((view, pos) => {
    const line = view.state.doc.lineAt(pos);
    const found = pathAt(line.text, pos - line.from);
    const value = found && valueAt(scope(), found.path);
    if (!found || value === undefined) return null;
    return {
      pos: line.from + found.from,
      end: line.from + found.to,
      above: true,
      create: () => ({ dom: valueBox(`${pathText(found.path)}: ${typeOf(value)}`, preview(value)) }),
    };
  });
}

function valueBox(title: string, text: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'document-explanation';
  const name = document.createElement('strong');
  name.textContent = title;
  const value = document.createElement('code');
  value.textContent = text;
  box.append(name, value);
  return box;
}
