import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const dist = join(import.meta.dirname, '../dist');
const MOST = 200 * 1024;

const read = (path: string) => readFileSync(join(dist, path), 'utf8');

/** The files of the first load: those in the document, and their static imports. */
function firstLoad(): string[] {
  const named = [...read('index.html').matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
  const found = new Set(named);
  for (const path of found) {
    if (!path.endsWith('.js')) continue;
    // Rolldown writes static imports as `import … from"./x.js"` and `import"./x.js"`; dynamic ones have a parenthesis.
    for (const [, file] of read(path).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g))
      found.add(`assets/${file}`);
  }
  return [...found];
}

test('the first load is at most 200 KB compressed', () => {
  const files = firstLoad();
  expect(files.some((path) => path.endsWith('.js'))).toBe(true);
  expect(files.some((path) => path.endsWith('.css'))).toBe(true);
  const bytes = files.reduce((sum, path) => sum + gzipSync(readFileSync(join(dist, path))).length, 0);
  expect(bytes, `${files.join(', ')}`).toBeLessThanOrEqual(MOST);
});

test('the editor, the charts, the map and the Markdown parser are not part of the first load', () => {
  const text = firstLoad().map(read).join('\n');
  // Names within these packages.
  for (const mark of ['cm-editor', 'u-over', 'svelte-flow__viewport', 'linkify']) expect(text).not.toContain(mark);
});

test('every text has both compressed forms, because the program contains only these', () => {
  const texts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(?:html|js|css|svg|json)$/.test(path),
  );
  const missing = texts.flatMap((path) => [`${path}.gz`, `${path}.br`]).filter((path) => !existsSync(join(dist, path)));
  expect(missing).toEqual([]);
});
