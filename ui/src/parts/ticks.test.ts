import { expect, test } from 'vitest';
import type { TickHealth } from '../api/types';
import { lateNotice, latenessText, missedText } from './ticks';

const PUNCTUAL: TickHealth = {
  last_tick_at: 1,
  lateness_ms: 20,
  is_late: false,
  late_last_hour: 0,
  late_last_day: 0,
  skipped_last_hour: 0,
  skipped_last_day: 0,
};

test('lateness is given from a second on', () => {
  expect(latenessText(999)).toBe('on time');
  expect(latenessText(1_200)).toBe('1.2 s late');
  expect(latenessText(82_000)).toBe('1 min 22 s late');
});

test('late and skipped ticks of a day are summed up', () => {
  expect(missedText(PUNCTUAL)).toBeUndefined();
  expect(missedText({ ...PUNCTUAL, late_last_day: 3 })).toBe('3 late in 24 hours');
  expect(missedText({ ...PUNCTUAL, late_last_day: 3, skipped_last_day: 1 })).toBe('3 late and 1 skipped in 24 hours');
});

test('a notice tells what is wrong', () => {
  expect(lateNotice(PUNCTUAL)).toEqual([]);
  expect(lateNotice({ ...PUNCTUAL, is_late: true, lateness_ms: 12_000, late_last_hour: 1 })).toEqual([
    'The last tick ran 12 s late.',
  ]);
  const skipped = lateNotice({ ...PUNCTUAL, is_late: true, skipped_last_hour: 2 });
  expect(skipped).toHaveLength(1);
  expect(skipped[0]).toContain('2 ticks were skipped in the last hour');
});
