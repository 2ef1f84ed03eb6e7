// What the editor is made of. Loaded by the pages that show one, never with the first page.
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
import type { EditorLanguage, EditorOptions, Fault } from './editing';
import { colours, frame } from './theme';
import { typingOver } from './typing-over';

const INDENT = '  ';

/** An editor in the page, and what can be done to it from outside. */
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
          // What a page adds is asked first, so that its keys and completions count.
          extra,
          ownKeys(options),
          this.#language.of(language),
          this.#locked.of(locked(options.readonly)),
          ...basics(options),
        ],
      }),
    });
  }

  static async make(options: EditorOptions): Promise<Editor> {
    const [language, extra] = await Promise.all([languageOf(options.language), options.extensions?.() ?? []]);
    return new Editor(options, language, extra);
  }

  /** Puts another text in place of the one that is there; what is the same stays as it is. */
  set text(text: string) {
    if (text === this.#view.state.doc.toString()) return;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  set readonly(readonly: boolean) {
    this.#view.dispatch({ effects: this.#locked.reconfigure(locked(readonly)) });
  }

  async speak(language: EditorLanguage) {
    if (language === this.#options.language) return;
    this.#options = { ...this.#options, language };
    this.#view.dispatch({ effects: this.#language.reconfigure(await languageOf(language)) });
  }

  /** Shows what is wrong at its lines, and brings the first of it into sight. */
  show(faults: Fault[]) {
    const { state } = this.#view;
    const marks = faults.map((fault) => mark(state.doc, fault)).sort((a, b) => a.from - b.from);
    this.#view.dispatch(setDiagnostics(state, marks));
    const first = marks[0];
    if (first) this.#view.dispatch({ effects: EditorView.scrollIntoView(first.from, { y: 'center' }) });
  }

  /** Puts the cursor on a line, in sight. */
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
    typingOver,
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
    // Escape and then Tab leaves the editor: the view itself lets Tab pass for two seconds after Escape.
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

/** Ctrl-S never reaches the browser's own "save page" from within an editor. */
function ownKeys(options: EditorOptions): Extension {
  const save = () => {
    options.onsave();
    return true;
  };
  return Prec.highest(keymap.of([{ key: 'Mod-s', run: save, preventDefault: true }]));
}

function locked(readonly: boolean): Extension {
  // It stays editable to the browser, so that the keyboard and screen readers can still go through it.
  return EditorState.readOnly.of(readonly);
}

async function languageOf(language: EditorLanguage): Promise<Extension> {
  if (language === 'json') return (await import('@codemirror/lang-json')).json();
  if (language === 'yaml') return (await import('@codemirror/lang-yaml')).yaml();
  if (language === 'text') return [];
  const { javascript } = await import('@codemirror/lang-javascript');
  return javascript({ typescript: language === 'typescript' });
}

function mark(doc: Text, fault: Fault): Diagnostic {
  const line = doc.line(Math.min(Math.max(fault.line, 1), doc.lines));
  const from = Math.min(line.from + Math.max((fault.column ?? 1) - 1, 0), line.to);
  const word = /^[\w$]+/.exec(doc.sliceString(from, line.to))?.[0].length ?? 1;
  return { from, to: Math.min(from + word, line.to), severity: fault.severity ?? 'error', message: fault.message };
}
