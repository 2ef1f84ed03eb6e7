// Errors in the code of a component, with their positions.
import { ApiError } from '../api/errors';
import type { components } from '../api/schema';
import type { CodeError } from '../parts/editor/editing';

/** An error at a line. It is in the code itself, unless it has a file. */
export interface LocatedError extends CodeError {
  file?: string;
}

/** The errors of rejected code; undefined for any other error. */
export function codeErrors(error: unknown): { located: LocatedError[]; others: string[] } | undefined {
  const details = error instanceof ApiError ? error.details : {};
  if (!details.code) return undefined;
  const located: LocatedError[] = [];
  const others: string[] = [];
  details.code.forEach((entry, index) => {
    if (typeof entry === 'string') return;
    const { message, line, column, file } = entry as components['schemas']['CodeError'];
    const sentence = details.component_code?.[index];
    if (line) located.push({ message, line, column: column ?? undefined, file: file ?? undefined });
    else others.push(typeof sentence === 'string' ? sentence : message);
  });
  return { located, others };
}
