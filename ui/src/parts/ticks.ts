// The punctuality of a source's timers, in words.
import type { TickHealth } from '../api/types';
import { count } from './figures';
import { duration } from './time';

/** Up to this lateness a tick counts as punctual in texts. */
const PUNCTUAL_MS = 1_000;
const REASONS = 'the one before was still waiting or running, or the server was down';

/** "on time", "12 s late". */
export function latenessText(ms: number): string {
  return ms < PUNCTUAL_MS ? 'on time' : `${duration(ms)} late`;
}

/** "3 late and 1 skipped in 24 hours"; nothing when there were none. */
export function missedText({ late_last_day: late, skipped_last_day: skipped }: TickHealth): string | undefined {
  const parts = [
    late > 0 ? `${late.toLocaleString()} late` : '',
    skipped > 0 ? `${skipped.toLocaleString()} skipped` : '',
  ];
  const text = parts.filter(Boolean).join(' and ');
  return text ? `${text} in 24 hours` : undefined;
}

/** The facts of a notice, one sentence each; nothing when the timers are punctual. */
export function lateNotice(ticks: TickHealth): string[] {
  if (!ticks.is_late) return [];
  const facts: string[] = [];
  const lateness = ticks.lateness_ms ?? 0;
  if (ticks.late_last_hour > 0 && lateness >= PUNCTUAL_MS) facts.push(`The last tick ran ${latenessText(lateness)}.`);
  if (ticks.skipped_last_hour > 0) {
    const skipped = count(ticks.skipped_last_hour, 'tick was', 'ticks were');
    facts.push(`${skipped} skipped in the last hour, because ${REASONS}.`);
  }
  return facts;
}
