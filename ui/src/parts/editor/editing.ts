// What the editor is given and gives back, without the editor itself.
import type { Extension } from '@codemirror/state';

export type EditorLanguage = 'javascript' | 'typescript' | 'json' | 'yaml' | 'text';

/** Something that is wrong at a line (from 1); the column counts from 1, too. */
export type Fault = {
  line: number;
  column?: number | null | undefined;
  message: string;
  severity?: 'error' | 'warning';
};

export type EditorOptions = {
  parent: HTMLElement;
  text: string;
  language: EditorLanguage;
  label: string;
  describedBy: string;
  readonly: boolean;
  /** What a page adds, such as completion from a schema; loaded together with the editor. */
  extensions?: (() => Extension | Promise<Extension>) | undefined;
  onchange: (text: string) => void;
  onsave: () => void;
};
