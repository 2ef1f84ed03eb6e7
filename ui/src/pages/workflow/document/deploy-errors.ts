// Errors of a deployment: with a position in the document where known.
import { ApiError } from '../../../api/errors';

export type LocatedError = { line: number; column: number; message: string };
export type DeployErrors = { located: LocatedError[]; others: string[] };

export const NO_ERRORS: DeployErrors = { located: [], others: [] };

export function deployErrors(error: unknown): DeployErrors {
  if (!(error instanceof ApiError))
    return { located: [], others: [error instanceof Error ? error.message : String(error)] };
  const entries = Object.entries(error.details).flatMap(([field, list]) => list.map((entry) => ({ field, entry })));
  const located: LocatedError[] = [];
  const others: string[] = [];
  for (const { field, entry } of entries) {
    if (typeof entry === 'string') others.push(field === 'document' ? entry : `${field}: ${entry}`);
    else if ('path' in entry) {
      const { line, column, path, message } = entry;
      located.push({ line, column, message: path ? `${path} ${message}` : message });
    }
  }
  return located.length + others.length > 0 ? { located, others } : { located, others: [error.message] };
}
