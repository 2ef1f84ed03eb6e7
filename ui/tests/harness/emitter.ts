// A source that emits what it is told to, which is most of what pages about sources need.
import type { Json, Person } from './server';

const CODE = `export default {
  name: 'Emitter',
  version: '1.0.0',
  props: { http: '$.interface.http', greeting: { type: 'string', default: 'hello' } },
  run(event) {
    const told = event.body ?? event;
    for (const line of told.lines ?? []) console.log(line);
    for (const [data, metadata] of told.emits ?? []) this.$emit(data, metadata);
    if (told.text) this.$emit({ text: 'y'.repeat(told.text) }, { summary: 'A long text' });
    if (told.many) this.$emit({ rows: Array.from({ length: told.many }, (_, n) => ({ n, name: 'row ' + n, odd: n % 2 === 1 })) });
    if (told.fail) refuse(told.fail);
  },
};

function refuse(why) {
  throw new TypeError(why);
}
`;

/** The line of the code on which an error is thrown. */
export const THROWS_AT = CODE.split('\n').findIndex((line) => line.includes('throw')) + 1;

export type Emit = [data: unknown, metadata?: Json];
export type Told = { emits?: Emit[]; lines?: string[]; text?: number; many?: number; fail?: string };

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

  run(told: Told) {
    return this.#owner.post(`/sources/${this.id}/run`, { event: told });
  }

  /** Emits, and waits until all of it is kept. */
  async emit(...emits: Emit[]) {
    const before = await this.kept();
    await this.run({ emits });
    await this.waitFor(before + emits.length);
  }

  async waitFor(events: number) {
    while ((await this.kept()) < events) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  async kept(channel?: string): Promise<number> {
    const query = channel ? `&event_name=${encodeURIComponent(channel)}` : '';
    const path = `/sources/${this.id}/event_summaries?limit=1${query}`;
    return (await this.#owner.get<{ page_info: { total_count: number } }>(path)).page_info.total_count;
  }
}
