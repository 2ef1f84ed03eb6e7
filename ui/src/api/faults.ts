// What the server found wrong with a form, sorted by the fields it has.
import { ApiFailure } from './client';

/** Faults by field; what belongs to no field is under `''`. A field is found by its name at the start of the words, too. */
export function faultsByField(error: unknown, fields: readonly string[]): Record<string, string> {
  const words = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ApiFailure)) return { '': words };
  const found: Record<string, string> = {};
  for (const [field, faults] of Object.entries(error.details)) {
    const text = faults.map((fault) => (typeof fault === 'string' ? fault : fault.message)).join('\n');
    found[fields.includes(field) ? field : ''] = text;
  }
  if (Object.keys(found).length > 0) return found;
  const first = words.split(' ', 1)[0]?.toLowerCase() ?? '';
  return { [fields.includes(first) ? first : '']: words };
}
