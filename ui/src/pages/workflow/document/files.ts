// The files of a workflow: paths and languages.
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

const normalized = (path: string) => path.replace(/^\.\//, '');

/** The error of a file path; undefined if it is valid. */
export function pathError(path: string, others: string[]): string | undefined {
  if (path.trim() === '') return 'Enter a path, such as ./send.mjs.';
  if (path.startsWith('/') || normalized(path).split('/').includes('..'))
    return 'The path must be inside the folder of the document.';
  if (others.some((other) => normalized(other) === normalized(path))) return 'A file with this path already exists.';
  return undefined;
}

/** A file that a step refers to and that does not exist yet, or a free path. */
export function nextPath(referenced: string[], existing: string[]): string {
  const missing = referenced.find((path) => !existing.some((other) => normalized(other) === normalized(path)));
  if (missing) return missing;
  const free = (number: number) => `./step${number === 1 ? '' : number}.mjs`;
  let number = 1;
  while (existing.some((other) => normalized(other) === normalized(free(number)))) number += 1;
  return free(number);
}

export const NEW_FILE = `export default defineComponent({
  async run({ steps, $ }) {
    return steps.trigger.event;
  },
});
`;
