// What the server says is wrong with a deploy: at lines of the document where it can, in words otherwise.
import { ApiFailure } from '../../../api/client';

export type PlacedFault = { line: number; column: number; words: string };
export type Refusal = { placed: PlacedFault[]; words: string[] };

export const NOTHING_REFUSED: Refusal = { placed: [], words: [] };

export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof ApiFailure))
    return { placed: [], words: [error instanceof Error ? error.message : String(error)] };
  const faults = Object.entries(error.details).flatMap(([field, list]) => list.map((fault) => ({ field, fault })));
  const placed: PlacedFault[] = [];
  const words: string[] = [];
  for (const { field, fault } of faults) {
    if (typeof fault === 'string') words.push(field === 'document' ? fault : `${field}: ${fault}`);
    else if ('line' in fault) {
      const { line, column, path, message } = fault;
      placed.push({ line, column, words: path ? `${path} ${message}` : message });
    }
  }
  return placed.length + words.length > 0 ? { placed, words } : { placed, words: [error.message] };
}
