// Errors of form fields, from the `details` of an API error.
import { ApiError } from './errors';

/** An invalid prop. `details.props` lists one entry for each. */
export type PropError = { prop: string; code: string; message: string };

/** The invalid props of a request; undefined for any other error. */
export function propErrors(error: unknown): PropError[] | undefined {
  const entries: readonly unknown[] | undefined = error instanceof ApiError ? error.details.props : undefined;
  return entries?.filter(isPropError);
}

function isPropError(entry: unknown): entry is PropError {
  if (typeof entry !== 'object' || entry === null) return false;
  return 'prop' in entry && 'code' in entry && 'message' in entry;
}

/** Error messages by field; those of no field are under `''`. */
export function errorsByField(error: unknown, fields: readonly string[]): Record<string, string> {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiError)) return { '': message };
  const errors: Record<string, string> = {};
  for (const [field, entries] of withoutRepeats(error.details)) {
    const place = fields.includes(field) ? field : '';
    errors[place] = [...(errors[place] === undefined ? [] : [errors[place]]), ...entries.map(detailMessage)].join('\n');
  }
  return Object.keys(errors).length > 0 ? errors : { '': message };
}

/** All messages of `details`. */
export function detailMessages(details: ApiError['details']): string[] {
  return withoutRepeats(details).flatMap(([, entries]) => entries.map(detailMessage));
}

/** The fields of `details` with their errors. `configured_props` repeats `props` as text, and `code` repeats `component_code` as data. */
function withoutRepeats(details: ApiError['details']) {
  const repeats = [details.props && 'configured_props', details.component_code && 'code'];
  return Object.entries(details).filter(([field]) => !repeats.includes(field));
}

/** The message of one entry: plain text, or an object with a position or a prop. */
function detailMessage(entry: string | { message: string }): string {
  return typeof entry === 'string' ? entry : entry.message;
}
