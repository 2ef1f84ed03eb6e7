// Editor support for workflow documents: completion, hover descriptions, and errors of the schema and the server.
import { yamlLanguage } from '@codemirror/lang-yaml';
import { type Diagnostic, forceLinting, linter } from '@codemirror/lint';
import { type Extension, StateEffect, StateField, type Text, type Transaction } from '@codemirror/state';
import { EditorView, hoverTooltip, ViewPlugin } from '@codemirror/view';
import { whenIdle } from '../../../live/idle';
import { restOfLine } from '../../../parts/editor/positions';
import { check } from './checking';
import { yamlWithCode } from './code';
import { completionOf, linesOf } from './completion';
import { cursorContext } from './cursor';
import type { LocatedError } from './deploy-errors';
import { type Schema, schemaAt } from './schema';

const setServerErrors = StateEffect.define<Diagnostic[]>();

const setsServerErrors = ({ effects }: Transaction) => effects.some((effect) => effect.is(setServerErrors));

/** Errors of the server. They move with their line and disappear when it is edited. */
const serverErrors = StateField.define<Diagnostic[]>({
  create: () => [],
  update(marks, { changes, docChanged, effects, startState }) {
    const added = effects.find((effect) => effect.is(setServerErrors));
    if (added) return added.value;
    if (!docChanged) return marks;
    const kept = marks.filter(({ from }) => {
      const line = startState.doc.lineAt(Math.min(from, startState.doc.length));
      return changes.touchesRange(line.from, line.to) === false;
    });
    return kept.map((mark) => ({ ...mark, from: changes.mapPos(mark.from), to: changes.mapPos(mark.to, 1) }));
  },
});

/** The editor extension, and a way to show errors of the server. */
export class DocumentLanguage {
  readonly extension: Extension;
  #view: EditorView | undefined;
  #pending: LocatedError[] = [];

  constructor(schema: Schema | undefined) {
    const attached = ViewPlugin.define((view) => {
      this.#view = view;
      // A view cannot be updated while it is created.
      queueMicrotask(() => this.showErrors(this.#pending));
      return { destroy: () => this.#detach(view) };
    });
    const bySchema = schema
      ? [yamlLanguage.data.of({ autocomplete: completionOf(schema) }), hoverDescriptions(schema)]
      : [];
    const errors = linter(
      async ({ state }) => {
        await new Promise<void>(whenIdle);
        return [...state.field(serverErrors), ...(schema ? check(schema, state.doc.toString()) : [])];
      },
      { delay: 400, needsRefresh: ({ transactions }) => transactions.some(setsServerErrors) },
    );
    this.extension = [yamlWithCode(), serverErrors, errors, attached, ...bySchema];
  }

  /** Marks errors of the server and scrolls to the first one. */
  showErrors(errors: LocatedError[]) {
    this.#pending = errors;
    const view = this.#view;
    if (!view) return;
    const marks = errors.map((error) => mark(view.state.doc, error));
    view.dispatch({ effects: setServerErrors.of(marks) });
    forceLinting(view);
    const first = marks[0];
    if (first)
      view.dispatch({
        selection: { anchor: first.from },
        effects: EditorView.scrollIntoView(first.from, { y: 'center' }),
      });
  }

  #detach(view: EditorView) {
    if (this.#view === view) this.#view = undefined;
  }
}

function mark(doc: Text, error: LocatedError): Diagnostic {
  return { ...restOfLine(doc, error), severity: 'error', message: error.message };
}

/** Shows the description of a field on hover. */
function hoverDescriptions(schema: Schema): Extension {
  return hoverTooltip((view, pos) => {
    const line = view.state.doc.lineAt(pos);
    const word = view.state.wordAt(pos);
    const rest = word && line.text.slice(word.to - line.from);
    if (!word || !rest?.startsWith(':')) return null;
    const cursor = cursorContext(linesOf(view.state), line.number - 1, line.text.slice(0, word.to - line.from));
    if (!cursor || cursor.field !== undefined) return null;
    const field = schemaAt(schema, [...cursor.path, view.state.sliceDoc(word.from, word.to)]);
    const { title, description } = field ?? {};
    if (!description) return null;
    return {
      pos: word.from,
      end: word.to,
      above: true,
      create: () => ({ dom: descriptionBox(title ?? '', description) }),
    };
  });
}

function descriptionBox(title: string, description: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'document-explanation';
  const name = document.createElement('strong');
  name.textContent = title;
  const text = document.createElement('p');
  text.textContent = description;
  box.append(name, text);
  return box;
}
