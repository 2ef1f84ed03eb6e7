// The CodeMirror setup. Loaded on demand, never with the first page.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, redo, undo } from '@codemirror/commands';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, linter, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import {
  type ChangeSet,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  type StateCommand,
  type Text,
  type Transaction,
} from '@codemirror/state';
import {
  crosshairCursor,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { afterPaint } from '../../live/idle';
import { difference, lineEndOf, offsetIn, unified } from './changes';
import type { CodeError, EditorLanguage, EditorOptions, TextChange } from './editing';
import { wordAt } from './positions';
import { replaceSelectionInput } from './selection-input';
import { colours, frame } from './theme';

const INDENT = '  ';
const MAX_REVERTS = 20;
/** Input that needs the current document. */
const INPUT = [
  'keydown',
  'beforeinput',
  'compositionstart',
  'pointerdown',
  'mousedown',
  'cut',
  'copy',
  'paste',
  'drop',
];

/** A change that is not drawn yet, and the document after it. */
type Deferred = { changes: ChangeSet; doc: Text; run: (changes: ChangeSet) => void };

/**
 * A CodeMirror editor with the operations that the page needs.
 *
 * Changes that do not come from typing in the editor are deferred until the page is painted, because parsing and drawing
 * them can take longer than a frame. `text` has them at once. Input and further operations draw them first.
 */
export class Editor {
  #view: EditorView;
  #options: EditorOptions;
  #locked = new Compartment();
  #language = new Compartment();
  #state = new Compartment();
  /** The editor has `\n` inside. The text keeps its line ends. */
  #lineEnd: string;
  /** The reverse of applied changes, kept up to date with later ones. */
  #reverts: { changes: ChangeSet }[] = [];
  #deferred: Deferred | undefined;
  #cancel = () => {};

  private constructor(options: EditorOptions, language: Extension, extra: Extension) {
    this.#options = options;
    this.#lineEnd = lineEndOf(options.text);
    this.#view = new EditorView({
      parent: options.parent,
      state: EditorState.create({
        doc: options.text,
        extensions: [
          // Its styles and those of tooltips have the same place in all editors. Editors with another order would write the
          // style element again, and the browser would compute the styles of the whole page.
          linter(null),
          // Page extensions come first, so that their keys and completions take precedence.
          extra,
          ownKeys(options),
          this.#language.of(language),
          this.#locked.of(locked(options.readonly)),
          this.#state.of([]),
          EditorView.updateListener.of(({ docChanged, changes }) => {
            if (!docChanged) return;
            for (const revert of this.#reverts) revert.changes = revert.changes.map(changes);
            this.#rebase(changes);
            options.onchange(this.text);
          }),
          ...basics(options),
          options.compact ? EditorView.lineWrapping : page(),
        ],
      }),
    });
    for (const input of INPUT) this.#view.dom.addEventListener(input, () => this.#flush(), { capture: true });
  }

  static async create(options: EditorOptions): Promise<Editor> {
    const [language, extra] = await Promise.all([languageOf(options.language), options.extensions?.() ?? []]);
    return new Editor(options, language, extra);
  }

  get text(): string {
    const doc = this.#deferred?.doc ?? this.#view.state.doc;
    return doc.sliceString(0, doc.length, this.#lineEnd);
  }

  /** Runs a change after the next paint. The page has its text now. */
  #defer(changes: ChangeSet, run: (changes: ChangeSet) => void) {
    this.#deferred = { changes, doc: changes.apply(this.#view.state.doc), run };
    this.#cancel = afterPaint(() => this.#flush());
    if (!changes.empty) this.#options.onchange(this.text);
  }

  #flush() {
    const deferred = this.#deferred;
    this.#cancel();
    this.#deferred = undefined;
    deferred?.run(deferred.changes);
  }

  /** Another change came before the deferred one. */
  #rebase(by: ChangeSet) {
    if (!this.#deferred) return;
    const changes = this.#deferred.changes.map(by);
    this.#deferred = { ...this.#deferred, changes, doc: changes.apply(this.#view.state.doc) };
  }

  /** Replaces the part of the text that differs. */
  set text(text: string) {
    if (text === this.text) return;
    this.#flush();
    this.#lineEnd = lineEndOf(text);
    const changes = difference(this.#view.state.doc.toString(), unified(text));
    if (changes) this.#view.dispatch({ changes });
  }

  /**
   * Applies changes of `before`, the current text. The cursor keeps its place. Returns a function that reverts them, also after
   * other changes; undefined if the text is another one.
   */
  apply(changes: TextChange[], before: string, typing: boolean): (() => void) | undefined {
    this.#flush();
    const { doc } = this.#view.state;
    if (doc.toString() !== unified(before)) return undefined;
    const own = changes.map(({ from, to, insert }) => ({
      from: offsetIn(before, from),
      to: offsetIn(before, to),
      insert: unified(insert),
    }));
    let revert: { changes: ChangeSet } | undefined;
    this.#defer(this.#view.state.changes(own), (set) => {
      revert = { changes: set.invert(this.#view.state.doc) };
      this.#view.dispatch({
        changes: set,
        userEvent: typing ? 'input.type' : 'input.outline',
        effects: scrollToChange(set),
      });
      this.#reverts = [...this.#reverts.slice(1 - MAX_REVERTS), revert];
    });
    return () => {
      this.#flush();
      if (revert) this.#view.dispatch({ changes: revert.changes, userEvent: 'undo.outline' });
    };
  }

  undo() {
    this.#history(undo);
  }

  redo() {
    this.#history(redo);
  }

  /** Scrolls to the change if it is out of sight. The command itself would scroll to the cursor, which may be elsewhere. */
  #history(command: StateCommand) {
    this.#flush();
    const step = this.#transaction(command);
    if (!step) return;
    this.#defer(step.changes, () => {
      // Its state may be a newer one, with the same text.
      const step = this.#transaction(command);
      if (step) this.#view.dispatch(step, { effects: scrollToChange(step.changes) });
    });
  }

  /** The transaction that a command would make. */
  #transaction(command: StateCommand): Transaction | undefined {
    let made: Transaction | undefined;
    command({
      state: this.#view.state,
      dispatch: (transaction) => {
        made = transaction;
      },
    });
    return made;
  }

  set readonly(readonly: boolean) {
    this.#view.dispatch({ effects: this.#locked.reconfigure(locked(readonly)) });
  }

  set invalid(invalid: boolean) {
    this.#view.dispatch({
      effects: this.#state.reconfigure(EditorView.contentAttributes.of({ 'aria-invalid': String(invalid) })),
    });
  }

  /** Replaces the text by what `replacement` makes of it and the selection, and moves the cursor. */
  insert(replacement: (text: string, selection: [number, number]) => { text: string; at: number }) {
    this.#flush();
    const { main } = this.#view.state.selection;
    const { text, at } = replacement(this.#view.state.doc.toString(), [main.from, main.to]);
    const changes = difference(this.#view.state.doc.toString(), text);
    if (changes)
      this.#view.dispatch({ changes, selection: { anchor: at }, userEvent: 'input.complete', scrollIntoView: true });
    this.#view.focus();
  }

  async setLanguage(language: EditorLanguage) {
    if (language === this.#options.language) return;
    this.#options = { ...this.#options, language };
    this.#view.dispatch({ effects: this.#language.reconfigure(await languageOf(language)) });
  }

  /** Marks errors at their lines and scrolls to the first one. */
  showErrors(errors: CodeError[]) {
    this.#flush();
    const { state } = this.#view;
    const marks = errors.map((error) => mark(state.doc, error)).sort((a, b) => a.from - b.from);
    this.#view.dispatch(setDiagnostics(state, marks));
    const first = marks[0];
    if (first) this.#view.dispatch({ effects: EditorView.scrollIntoView(first.from, { y: 'center' }) });
  }

  /** Moves the cursor to a line and scrolls to it. */
  reveal(line: number) {
    this.#flush();
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  }

  /** Moves the cursor to a position of the text, and its line to the top. */
  revealOffset(offset: number) {
    this.#flush();
    const { state } = this.#view;
    const at = Math.min(offsetIn(this.text, offset), state.doc.length);
    this.#defer(state.changes(), () => {
      const anchor = Math.min(at, this.#view.state.doc.length);
      this.#view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'start', yMargin: 24 }),
      });
    });
  }

  focus() {
    this.#flush();
    this.#view.focus();
  }

  destroy() {
    this.#cancel();
    this.#view.destroy();
  }
}

function scrollToChange(changes: ChangeSet) {
  let at = changes.newLength;
  changes.iterChangedRanges((_from, _to, from) => {
    at = Math.min(at, from);
  });
  return EditorView.scrollIntoView(Math.min(at + 1, changes.newLength), { y: 'nearest', yMargin: 48 });
}

function basics(options: EditorOptions): Extension[] {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content;
  return [
    nonce ? EditorView.cspNonce.of(nonce) : [],
    highlightSpecialChars(),
    history(),
    drawSelection(),
    bracketMatching(),
    closeBrackets(),
    replaceSelectionInput,
    autocompletion(),
    EditorState.allowMultipleSelections.of(true),
    EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-label': options.label,
      'aria-describedby': options.describedBy,
    }),
    syntaxHighlighting(colours),
    frame,
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
  ];
}

/** For more than a field: lines, folding and search. */
function page(): Extension[] {
  return [
    lintGutter(),
    lineNumbers(),
    highlightActiveLineGutter(),
    codeFolding(),
    foldGutter(),
    rectangularSelection(),
    crosshairCursor(),
    indentOnInput(),
    indentUnit.of(INDENT),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    // Escape, then Tab leaves the editor: CodeMirror lets Tab pass for two seconds after Escape.
    keymap.of([...searchKeymap, ...foldKeymap, ...lintKeymap, indentWithTab]),
  ];
}

/** Ctrl-S saves instead of opening the browser's "save page" dialog. */
function ownKeys({ onsave }: EditorOptions): Extension {
  if (!onsave) return [];
  const save = () => {
    onsave();
    return true;
  };
  return Prec.highest(keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }]));
}

function locked(readonly: boolean): Extension {
  // It stays editable for the browser, so that the keyboard and screen readers can still navigate it.
  return EditorState.readOnly.of(readonly);
}

async function languageOf(language: EditorLanguage): Promise<Extension> {
  if (language === 'json') return (await import('@codemirror/lang-json')).json();
  if (language === 'yaml') return (await import('@codemirror/lang-yaml')).yaml();
  if (language === 'text') return [];
  const { javascript } = await import('@codemirror/lang-javascript');
  return javascript({ typescript: language === 'typescript' });
}

function mark(doc: Text, error: CodeError): Diagnostic {
  return { ...wordAt(doc, error), severity: error.severity ?? 'error', message: error.message };
}
