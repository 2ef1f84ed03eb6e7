// The errors of a deployment at the items of an outline.
import type { LocatedError } from '../document/deploy-errors';
import type { ListName, Outline } from './yaml/read';

/** The first error of each item, by its position. */
export type Problems = Record<ListName, ReadonlyMap<number, string>>;

/** Always the same one, so that a change of the text draws no cards again. */
const NONE: Problems = { triggers: new Map(), steps: new Map() };

export function problemsOf(outline: Outline | undefined, errors: LocatedError[]): Problems {
  if (!outline || errors.length === 0) return NONE;
  const problems = { triggers: new Map<number, string>(), steps: new Map<number, string>() };
  const starts = [0, ...[...outline.text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  for (const { line, message } of errors) {
    const at = starts[line - 1] ?? 0;
    for (const list of ['triggers', 'steps'] as const) {
      const { from, to } = outline[list].units;
      const index = from.findIndex((start, item) => start <= at && at < (to[item] ?? 0));
      if (index >= 0 && !problems[list].has(index)) problems[list].set(index, message);
    }
  }
  return problems;
}
