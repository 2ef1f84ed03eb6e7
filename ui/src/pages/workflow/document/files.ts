// The files beside a document: their names, and what they are written in.
import type { EditorLanguage } from '../../../parts/editor/editing';

const LANGUAGES: Record<string, EditorLanguage> = {
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  ts: 'typescript',
  mts: 'typescript',
  json: 'json',
  yaml: 'yaml',
  yml: 'yaml',
};

export function languageOf(path: string): EditorLanguage {
  return LANGUAGES[path.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'text';
}

const plain = (path: string) => path.replace(/^\.\//, '');

/** What is wrong with a path for a file; undefined when nothing is. */
export function pathFault(path: string, others: string[]): string | undefined {
  if (path.trim() === '') return 'Give the file a name, such as ./send.mjs.';
  if (path.startsWith('/') || plain(path).split('/').includes('..'))
    return 'The path stays below the folder of the document.';
  if (others.some((other) => plain(other) === plain(path))) return 'There is a file with this name already.';
  return undefined;
}

/** A file that a step names and that is not there yet, or a name for a new one. */
export function nextPath(named: string[], there: string[]): string {
  const missing = named.find((path) => !there.some((other) => plain(other) === plain(path)));
  if (missing) return missing;
  const free = (number: number) => `./step${number === 1 ? '' : number}.mjs`;
  let number = 1;
  while (there.some((other) => plain(other) === plain(free(number)))) number += 1;
  return free(number);
}

export const NEW_FILE = `export default defineComponent({
  async run({ steps, $ }) {
    return steps.trigger.event;
  },
});
`;
