// A source that emits and logs on command, for tests of source pages.
import type { Json, Person } from './server';

const CODE = `export default {
  name: 'Emitter',
  version: '1.0.0',
  props: { http: '$.interface.http', greeting: { type: 'string', default: 'hello' } },
  run(event) {
    const command = event.body ?? event;
    for (const line of command.lines ?? []) console.log(line);
    for (const [data, metadata] of command.emits ?? []) this.$emit(data, metadata);
    if (command.text) this.$emit({ text: 'y'.repeat(command.text) }, { summary: 'A long text' });
    if (command.many) this.$emit({ rows: Array.from({ length: command.many }, (_, n) => ({ n, name: 'row ' + n, odd: n % 2 === 1 })) });
    if (command.fail) refuse(command.fail);
  },
};

function refuse(why) {
  throw new TypeError(why);
}
`;

/** The line that throws. */
export const THROWS_AT = CODE.split('\n').findIndex((line) => line.includes('throw')) + 1;

export type Emit = [data: unknown, metadata?: Json];
export type EmitterCommand = { emits?: Emit[]; lines?: string[]; text?: number; many?: number; fail?: string };

export class Emitter {
  readonly id: string;
  readonly #owner: Person;

  private constructor(id: string, owner: Person) {
    this.id = id;
    this.#owner = owner;
  }

  static async deploy(owner: Person, name: string): Promise<Emitter> {
    const { id } = await owner.source(name, CODE);
    return new Emitter(id, owner);
  }

  run(command: EmitterCommand) {
    return this.#owner.post(`/sources/${this.id}/run`, { event: command });
  }

  /** Emits events and waits until they are stored. */
  async emit(...emits: Emit[]) {
    const before = await this.storedCount();
    await this.run({ emits });
    await this.waitFor(before + emits.length);
  }

  async waitFor(events: number) {
    while ((await this.storedCount()) < events) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async storedCount(channel?: string): Promise<number> {
    const query = channel ? `&event_name=${encodeURIComponent(channel)}` : '';
    const path = `/sources/${this.id}/event_summaries?limit=1${query}`;
    return (await this.#owner.get<{ page_info: { total_count: number } }>(path)).page_info.total_count;
  }
}
