// Errors in the code of a component, with their positions.
import { ApiError } from '../api/client';
import type { CodeError } from '../parts/editor/editing';

/** The errors of rejected code; undefined for any other error. */
export function codeErrors(error: unknown): { located: CodeError[]; others: string[] } | undefined {
  const entries = error instanceof ApiError ? error.details.component_code : undefined;
  if (!entries) return undefined;
  const located: CodeError[] = [];
  const others: string[] = [];
  for (const entry of entries) {
    if (typeof entry !== 'string') {
      if ('line' in entry) located.push(entry);
      continue;
    }
    const position = /^(.*) \(line (\d+)(?:, column (\d+))?\)$/s.exec(entry);
    if (!position) others.push(entry);
    else
      located.push({
        message: position[1] ?? entry,
        line: Number(position[2]),
        column: position[3] ? Number(position[3]) : undefined,
      });
  }
  return { located, others };
}
