// The CodeMirror setup. Loaded on demand, never with the first page.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, Prec, type Text } from '@codemirror/state';
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
import type { CodeError, EditorLanguage, EditorOptions } from './editing';
import { wordAt } from './positions';
import { replaceSelectionInput } from './selection-input';
import { colours, frame } from './theme';

const INDENT = '  ';

/** A CodeMirror editor with the operations that the page needs. */
export class Editor {
  #view: EditorView;
  #options: EditorOptions;
  #locked = new Compartment();
  #language = new Compartment();

  private constructor(options: EditorOptions, language: Extension, extra: Extension) {
    this.#options = options;
    this.#view = new EditorView({
      parent: options.parent,
      state: EditorState.create({
        doc: options.text,
        extensions: [
          // Page extensions come first, so that their keys and completions take precedence.
          extra,
          ownKeys(options),
          this.#language.of(language),
          this.#locked.of(locked(options.readonly)),
          ...basics(options),
        ],
      }),
    });
  }

  static async create(options: EditorOptions): Promise<Editor> {
    const [language, extra] = await Promise.all([languageOf(options.language), options.extensions?.() ?? []]);
    return new Editor(options, language, extra);
  }

  /** Replaces the text if it differs. */
  set text(text: string) {
    if (text === this.#view.state.doc.toString()) return;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  set readonly(readonly: boolean) {
    this.#view.dispatch({ effects: this.#locked.reconfigure(locked(readonly)) });
  }

  async setLanguage(language: EditorLanguage) {
    if (language === this.#options.language) return;
    this.#options = { ...this.#options, language };
    this.#view.dispatch({ effects: this.#language.reconfigure(await languageOf(language)) });
  }

  /** Marks errors at their lines and scrolls to the first one. */
  showErrors(errors: CodeError[]) {
    const { state } = this.#view;
    const marks = errors.map((error) => mark(state.doc, error)).sort((a, b) => a.from - b.from);
    this.#view.dispatch(setDiagnostics(state, marks));
    const first = marks[0];
    if (first) this.#view.dispatch({ effects: EditorView.scrollIntoView(first.from, { y: 'center' }) });
  }

  /** Moves the cursor to a line and scrolls to it. */
  reveal(line: number) {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  }

  focus() {
    this.#view.focus();
  }

  destroy() {
    this.#view.destroy();
  }
}

function basics(options: EditorOptions): Extension[] {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content;
  return [
    nonce ? EditorView.cspNonce.of(nonce) : [],
    lintGutter(),
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    history(),
    codeFolding(),
    foldGutter(),
    drawSelection(),
    rectangularSelection(),
    crosshairCursor(),
    indentOnInput(),
    indentUnit.of(INDENT),
    bracketMatching(),
    closeBrackets(),
    replaceSelectionInput,
    autocompletion(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    EditorState.allowMultipleSelections.of(true),
    EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-label': options.label,
      'aria-describedby': options.describedBy,
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.onchange(update.state.doc.toString());
    }),
    syntaxHighlighting(colours),
    frame,
    // Escape, then Tab leaves the editor: CodeMirror lets Tab pass for two seconds after Escape.
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
  ];
}

/** Ctrl-S saves instead of opening the browser's "save page" dialog. */
function ownKeys(options: EditorOptions): Extension {
  const save = () => {
    options.onsave();
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
