// Time ranges: one that ends now, or one between two instants.

export const presets = {
  '1h': { text: 'Last hour', ms: 3_600_000 },
  '24h': { text: 'Last 24 hours', ms: 86_400_000 },
  '7d': { text: 'Last 7 days', ms: 604_800_000 },
  '30d': { text: 'Last 30 days', ms: 2_592_000_000 },
} as const;

export type Preset = keyof typeof presets;
export type TimeRange =
  | { kind: 'any' }
  | { kind: 'last'; preset: Preset }
  | { kind: 'between'; since?: number | undefined; until?: number | undefined };

export const anyTime: TimeRange = { kind: 'any' };

/** A range as URL parameters. */
export type RangeParams = { range: string | undefined; since: string | undefined; until: string | undefined };

export function readRange({ range, since, until }: RangeParams): TimeRange {
  if (range !== undefined && Object.hasOwn(presets, range)) return { kind: 'last', preset: range as Preset };
  if (range !== 'between' && since === undefined && until === undefined) return anyTime;
  return { kind: 'between', since: instant(since), until: instant(until) };
}

export function writeRange(range: TimeRange): RangeParams {
  switch (range.kind) {
    case 'any':
      return { range: undefined, since: undefined, until: undefined };
    case 'last':
      return { range: range.preset, since: undefined, until: undefined };
    case 'between':
      return { range: 'between', since: range.since?.toString(), until: range.until?.toString() };
  }
}

/** The bounds of a range as API parameters. */
export function bounds(range: TimeRange, nowMs: number): { since?: string; until?: string } {
  if (range.kind === 'any') return {};
  if (range.kind === 'last') return { since: String(nowMs - presets[range.preset].ms) };
  const ends: { since?: string; until?: string } = {};
  if (range.since !== undefined) ends.since = String(range.since);
  if (range.until !== undefined) ends.until = String(range.until);
  return ends;
}

/** The value of a `datetime-local` field, to the second. */
export function toLocal(ms: number | undefined): string {
  if (ms === undefined) return '';
  const offset = new Date(ms).getTimezoneOffset() * 60_000;
  return new Date(ms - offset).toISOString().slice(0, 19);
}

export function fromLocal(text: string): number | undefined {
  return instant(String(new Date(text).getTime()));
}

function instant(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const ms = Number(text);
  return Number.isSafeInteger(ms) && Math.abs(ms) < 8.64e15 ? ms : undefined;
}
