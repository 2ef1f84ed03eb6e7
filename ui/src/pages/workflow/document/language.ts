// What the editor of a document knows beyond YAML: completion, explanations, and what is wrong, by the schema and by the server.
import { yamlLanguage } from '@codemirror/lang-yaml';
import { type Diagnostic, forceLinting, linter } from '@codemirror/lint';
import { type Extension, StateEffect, StateField, type Text, type Transaction } from '@codemirror/state';
import { EditorView, hoverTooltip, ViewPlugin } from '@codemirror/view';
import { check } from './checking';
import { yamlWithCode } from './code';
import { completionOf, linesOf } from './completion';
import type { PlacedFault } from './faults';
import { spotAt } from './place';
import { type Schema, schemaAt } from './schema';

const refuse = StateEffect.define<Diagnostic[]>();

const hasRefusal = ({ effects }: Transaction) => effects.some((effect) => effect.is(refuse));

/** What the server refused. It stays at its place while other lines change, and goes when its own line does. */
const refused = StateField.define<Diagnostic[]>({
  create: () => [],
  update(marks, { changes, docChanged, effects, startState }) {
    const fresh = effects.find((effect) => effect.is(refuse));
    if (fresh) return fresh.value;
    if (!docChanged) return marks;
    const kept = marks.filter(({ from }) => {
      const line = startState.doc.lineAt(Math.min(from, startState.doc.length));
      return changes.touchesRange(line.from, line.to) === false;
    });
    return kept.map((mark) => ({ ...mark, from: changes.mapPos(mark.from), to: changes.mapPos(mark.to, 1) }));
  },
});

/** The editor, as far as a page tells it what the server said. */
export class DocumentLanguage {
  readonly extension: Extension;
  #view: EditorView | undefined;
  #waiting: PlacedFault[] = [];

  constructor(schema: Schema | undefined) {
    const attached = ViewPlugin.define((view) => {
      this.#view = view;
      // A view cannot be changed while it is being made.
      queueMicrotask(() => this.show(this.#waiting));
      return { destroy: () => this.#leave(view) };
    });
    const bySchema = schema ? [yamlLanguage.data.of({ autocomplete: completionOf(schema) }), explanations(schema)] : [];
    const wrong = linter(
      ({ state }) => [...state.field(refused), ...(schema ? check(schema, state.doc.toString()) : [])],
      { delay: 400, needsRefresh: ({ transactions }) => transactions.some(hasRefusal) },
    );
    this.extension = [yamlWithCode(), refused, wrong, attached, ...bySchema];
  }

  /** Marks what the server refused, and brings the first of it into sight. */
  show(faults: PlacedFault[]) {
    this.#waiting = faults;
    const view = this.#view;
    if (!view) return;
    const marks = faults.map((fault) => mark(view.state.doc, fault));
    view.dispatch({ effects: refuse.of(marks) });
    forceLinting(view);
    const first = marks[0];
    if (first)
      view.dispatch({
        selection: { anchor: first.from },
        effects: EditorView.scrollIntoView(first.from, { y: 'center' }),
      });
  }

  #leave(view: EditorView) {
    if (this.#view === view) this.#view = undefined;
  }
}

function mark(doc: Text, { line, column, words }: PlacedFault): Diagnostic {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(at.from + Math.max(column - 1, 0), at.to);
  return { from, to: Math.max(from, at.to), severity: 'error', message: words };
}

/** What a field means, where the pointer rests on its name. */
function explanations(schema: Schema): Extension {
  return hoverTooltip((view, pos) => {
    const line = view.state.doc.lineAt(pos);
    const word = view.state.wordAt(pos);
    const rest = word && line.text.slice(word.to - line.from);
    if (!word || !rest?.startsWith(':')) return null;
    const spot = spotAt(linesOf(view.state), line.number - 1, line.text.slice(0, word.to - line.from));
    if (!spot || spot.field !== undefined) return null;
    const field = schemaAt(schema, [...spot.path, view.state.sliceDoc(word.from, word.to)]);
    const { title, description } = field ?? {};
    if (!description) return null;
    return {
      pos: word.from,
      end: word.to,
      above: true,
      create: () => ({ dom: explanation(title ?? '', description) }),
    };
  });
}

function explanation(title: string, description: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'document-explanation';
  const name = document.createElement('strong');
  name.textContent = title;
  const words = document.createElement('p');
  words.textContent = description;
  box.append(name, words);
  return box;
}
