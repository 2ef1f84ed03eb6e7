// The names that an expression reads, with the known data.
import type { Scope } from '../paths';
import { Unknown } from './evaluate';

/** Data that is missing is in its place as `Unknown`. */
export function namesOf({ event, steps, process }: Scope): Record<string, unknown> {
  const trigger = { event, context: new Unknown('The context is known in a run') };
  const env = Object.entries(process?.env ?? {});
  return {
    event: event === undefined ? new Unknown('There is no event yet') : event,
    steps: mapped(Object.entries({ ...steps, trigger }), (name) => new Unknown(`There is no data of ${name} yet`)),
    process: { env: mapped(env, (name) => new Unknown(`${name} is a secret`)) },
  };
}

function mapped(entries: [string, unknown][], missing: (name: string) => Unknown): Record<string, unknown> {
  return Object.fromEntries(entries.map(([name, value]) => [name, value === undefined ? missing(name) : value]));
}
