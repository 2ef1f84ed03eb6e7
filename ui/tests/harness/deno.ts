// The pinned Deno of the server. Unlike Node.js it can open the database.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const deno = process.env.SLUICE_DENO ?? join(root, 'node_modules/.bin/deno');

/** Runs a script of this folder. */
export function runDeno(script: string, ...args: string[]): Promise<void> {
  const file = join(import.meta.dirname, script);
  return new Promise((resolve, reject) => {
    const child = spawn(deno, ['run', '--quiet', '--no-config', '--no-lock', '--allow-all', file, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (text) => {
      complaint += text;
    });
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${script} exited with ${code}: ${complaint}`)),
    );
  });
}
