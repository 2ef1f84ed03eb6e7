// The code of a component as texts by path.
import type { Component, SourceChanges } from '../../../api/types';

export interface CodeFiles {
  /** The path of the file that is loaded; empty if it has none. */
  entry: string;
  /** The text of each file, the entry first. */
  texts: Record<string, string>;
}

export function codeFiles({ code, files }: Pick<Component, 'code' | 'files'>): CodeFiles {
  const entry = files?.path ?? '';
  return { entry, texts: { [entry]: code, ...files?.files } };
}

export function areSame(a: CodeFiles, b: CodeFiles): boolean {
  const paths = Object.keys(a.texts);
  return (
    a.entry === b.entry &&
    paths.length === Object.keys(b.texts).length &&
    paths.every((path) => a.texts[path] === b.texts[path])
  );
}

/** The fields of a request that saves the code. */
export function codeFields({ entry, texts }: CodeFiles): Pick<SourceChanges, 'component_code' | 'component_files'> {
  const { [entry]: component_code = '', ...files } = texts;
  return entry === '' ? { component_code } : { component_code, component_files: { path: entry, files } };
}
