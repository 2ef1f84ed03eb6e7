// The retention of a source as form fields.
import type { Source } from '../../../api/types';

export type RetentionForm = { events: string; age: string; unit: number };
type Retention = NonNullable<Source['retention']>;

export const AGE_UNITS = [
  { name: 'seconds', seconds: 1 },
  { name: 'minutes', seconds: 60 },
  { name: 'hours', seconds: 3_600 },
  { name: 'days', seconds: 86_400 },
];

export function retentionForm(retention: Source['retention']): RetentionForm {
  const age = retention?.max_age_seconds ?? undefined;
  const unit = AGE_UNITS.findLast(({ seconds }) => age !== undefined && age % seconds === 0)?.seconds ?? 86_400;
  return { events: String(retention?.max_events ?? ''), age: age === undefined ? '' : String(age / unit), unit };
}

/** The retention for the API; null for the server default. Undefined if a number is invalid. */
export function retentionOf({ events, age, unit }: RetentionForm): Retention | null | undefined {
  const count = positiveInteger(events);
  const seconds = positiveInteger(age);
  if (Number.isNaN(count) || Number.isNaN(seconds)) return undefined;
  if (count === null && seconds === null) return null;
  return { max_events: count, max_age_seconds: seconds === null ? null : seconds * unit };
}

function positiveInteger(text: string): number | null {
  if (text.trim() === '') return null;
  return /^\s*[1-9]\d*\s*$/.test(text) ? Number(text) : Number.NaN;
}
