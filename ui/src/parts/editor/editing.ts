// The types of the editor, without its code.
import type { Extension } from '@codemirror/state';

export type EditorLanguage = 'javascript' | 'typescript' | 'json' | 'yaml' | 'text';

/** An error in code. Lines and columns count from 1. */
export type CodeError = {
  line: number;
  column?: number | null | undefined;
  message: string;
  severity?: 'error' | 'warning';
};

/** A replacement of a part of the text. */
export type TextChange = { from: number; to: number; insert: string };

export type EditorOptions = {
  parent: HTMLElement;
  text: string;
  language: EditorLanguage;
  label: string;
  describedBy: string;
  readonly: boolean;
  /** A field of a form: without line numbers, and Tab leaves it. */
  compact: boolean;
  /** Additional extensions, such as completion. Loaded together with the editor. */
  extensions?: (() => Extension | Promise<Extension>) | undefined;
  onchange: (text: string) => void;
  onsave?: (() => void) | undefined;
};
