// A `sluice serve` process for tests, with a temporary data folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../../..');
const binary = process.env.SLUICE_BINARY ?? join(root, 'target/debug/sluice');
const START_MS = 60_000;

export type Json = Record<string, unknown>;

export class Server {
  readonly url: string;
  readonly key: string;
  #child: ChildProcess;
  #folder: string;
  #flags: string[];
  #names = new Map<string, number>();

  private constructor(url: string, key: string, child: ChildProcess, folder: string, flags: string[]) {
    this.url = url;
    this.key = key;
    this.#child = child;
    this.#folder = folder;
    this.#flags = flags;
  }

  /** Starts a server and waits until it listens. */
  static async start(...flags: string[]): Promise<Server> {
    const folder = await mkdtemp(join(process.env.SLUICE_TEST_DATA ?? tmpdir(), 'sluice-console-'));
    const key = crypto.randomUUID().replaceAll('-', '');
    const child = run(folder, key, '127.0.0.1:0', flags);
    return new Server(await announced(child), key, child, folder, flags);
  }

  /** Stops the server, runs a function and starts it again at the same address. */
  async restart(meanwhile: () => Promise<void>) {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await gone;
    await meanwhile();
    this.#child = run(this.#folder, this.key, new URL(this.url).host, this.#flags);
    await announced(this.#child);
  }

  /** The path of the database. */
  get database(): string {
    return join(this.#folder, 'data/sluice.db');
  }

  /** Calls the API with the key of the operator or of another user. */
  async call<T = Json>(method: string, path: string, body?: unknown, key = this.key): Promise<T> {
    const response = await fetch(`${this.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }

  /** Creates a user for one test, so that tests can share a server. A repeated name gets a number. */
  async user(name: string): Promise<Person> {
    const count = (this.#names.get(name) ?? 0) + 1;
    this.#names.set(name, count);
    const username = count === 1 ? name : `${name}-${count}`;
    const body = { username, email: `${username}@example.com` };
    const { data } = await this.call<{ data: { api_key: string } }>('POST', '/users', body);
    return new Person(this, data.api_key, username);
  }

  /** Stops the server at the end of the process, where nothing can be awaited. */
  kill() {
    this.#child.kill('SIGKILL');
  }

  async stop() {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A user with an API key. */
export class Person {
  readonly server: Server;
  readonly key: string;
  readonly name: string;

  constructor(server: Server, key: string, name = 'operator') {
    this.server = server;
    this.key = key;
    this.name = name;
  }

  get email(): string {
    return `${this.name}@example.com`;
  }

  get<T = Json>(path: string) {
    return this.server.call<T>('GET', path, undefined, this.key);
  }
  post<T = Json>(path: string, body: unknown = {}) {
    return this.server.call<T>('POST', path, body, this.key);
  }
  put<T = Json>(path: string, body: unknown) {
    return this.server.call<T>('PUT', path, body, this.key);
  }

  /** Creates a source from code. */
  async source(name: string, code: string, props: Json = {}): Promise<{ id: string; configured_props: Json }> {
    const body = { name, component_code: code, configured_props: props };
    const answer = await this.post<{ data: { id: string; configured_props: Json } }>('/sources', body);
    return answer.data;
  }
}

function run(folder: string, key: string, listen: string, flags: string[]): ChildProcess {
  const args = ['serve', '--log-format', 'json', '--listen', listen, '--data-dir', join(folder, 'data')];
  const console = ['--console-dir', join(root, 'ui/dist'), '--allow-private-network'];
  return spawn(binary, [...args, ...console, ...flags], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      SLUICE_API_KEY: key,
      SLUICE_DENO: process.env.SLUICE_DENO,
      // All browsers have the same address.
      SLUICE_MAX_WRONG_KEYS: '1000000',
      // Tests fill the registry themselves.
      SLUICE_NO_STARTER: 'true',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function announced(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const late = setTimeout(() => reject(new Error(`the server did not start:\n${lines.join('\n')}`)), START_MS);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server exited with ${code}:\n${lines.join('\n')}`)));
    if (!child.stderr) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const url = /listening on (http:\/\/[\d.:]+)/.exec(line)?.[1];
      if (!url) return;
      clearTimeout(late);
      resolve(url);
    });
  });
}
