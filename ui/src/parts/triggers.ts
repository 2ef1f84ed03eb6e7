// The triggers of a source, from its configured props.

export type Timer = {
  prop: string;
  cron: string | undefined;
  seconds: number | undefined;
  timezone: string | undefined;
};
export type Triggers = { endpoints: { prop: string; url: string }[]; timers: Timer[] };

type Props = Record<string, unknown>;

function asRecord(value: unknown): Props | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Props) : undefined;
}

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined);
const asNumber = (value: unknown) => (typeof value === 'number' ? value : undefined);

export function triggersOf(props: Props): Triggers {
  const found: Triggers = { endpoints: [], timers: [] };
  for (const [prop, value] of Object.entries(props)) {
    const inside = asRecord(value);
    if (!inside) continue;
    const url = asText(inside.endpoint_url);
    const [cron, seconds] = [asText(inside.cron), asNumber(inside.interval_seconds)];
    if (url !== undefined) found.endpoints.push({ prop, url });
    else if ('interval_seconds' in inside && (cron !== undefined || seconds !== undefined)) {
      found.timers.push({ prop, cron, seconds, timezone: asText(inside.timezone) });
    }
  }
  return found;
}

/** The values that the user configured: all except endpoints and timers. */
export function valuesOf(props: Props): [string, unknown][] {
  const { endpoints, timers } = triggersOf(props);
  const own = new Set([...endpoints, ...timers].map(({ prop }) => prop));
  return Object.entries(props).filter(([prop, value]) => !own.has(prop) && !isService(value));
}

/** The source's own key-value store, which has no configuration. */
function isService(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as { type?: unknown }).type === '$.service.db';
}

const UNITS: [number, string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

/** "every 15 minutes", "cron 0 9 * * 1 in UTC". */
export function timerText({ cron, seconds, timezone }: Timer): string {
  return cron === undefined ? intervalText(seconds ?? 0) : `cron ${cron} in ${timezone ?? 'UTC'}`;
}

/** In the largest unit that divides it: "every 15 minutes". */
export function intervalText(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds % size === 0) ?? [1, 'second'];
  const times = seconds / size;
  return times === 1 ? `every ${unit}` : `every ${times.toLocaleString()} ${unit}s`;
}
