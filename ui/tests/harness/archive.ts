// Archives of components, for imports.
import { gzipSync } from 'node:zlib';

const BLOCK = 512;

export type Archive = { name: string; mimeType: string; buffer: Buffer };

/** A compressed archive with these files, by path, as a file to choose. */
export function archive(name: string, files: Record<string, string>): Archive {
  const entries = Object.entries(files).map(([path, text]) => entry(path, Buffer.from(text)));
  const buffer = gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]));
  return { name, mimeType: 'application/gzip', buffer };
}

/** The path and the code of an action. */
export function action(app: string, name: string, version = '0.0.1'): [path: string, code: string] {
  const definition = { key: `${app}-${name}`, name: `Do ${name}`, version, type: 'action', props: {} };
  const fields = JSON.stringify(definition).slice(1, -1);
  return [`${app}/actions/${name}/${name}.mjs`, `export default {${fields}, run() {} };\n`];
}

/** A header in the ustar format, with the content. */
function entry(path: string, content: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(path, 0, 100);
  header.write(octal(0o644, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(content.length, 11), 124);
  header.write(octal(0, 11), 136);
  header.write('        0', 148);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, content, padding]);
}
