// Errors in the code of a component, with their positions.
import { ApiError } from '../api/client';
import type { components } from '../api/schema';
import type { CodeError } from '../parts/editor/editing';

/** The errors of rejected code; undefined for any other error. */
export function codeErrors(error: unknown): { located: CodeError[]; others: string[] } | undefined {
  const details = error instanceof ApiError ? error.details : {};
  if (!details.code) return undefined;
  const located: CodeError[] = [];
  const others: string[] = [];
  details.code.forEach((entry, index) => {
    if (typeof entry === 'string') return;
    const { message, line, column, file } = entry as components['schemas']['CodeError'];
    const sentence = details.component_code?.[index];
    if (line && !file) located.push({ message, line, column: column ?? undefined });
    else others.push(typeof sentence === 'string' ? sentence : message);
  });
  return { located, others };
}
