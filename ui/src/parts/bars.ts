// The bars of a small histogram: events, with errors stacked on top.

export const BARS_HEIGHT = 20;

export type Bar = { fine: number; failed: number; top: number };

/** The heights of each bar. Small values stay visible. */
export function barsOf(values: number[], errors: number[] = []): Bar[] {
  const max = values.reduce((most, value, index) => Math.max(most, value + (errors[index] ?? 0)), 1);
  const height = (value: number) => (value === 0 ? 0 : Math.max(1.5, (value / max) * BARS_HEIGHT));
  return values.map((value, index) => {
    const [fine, failed] = [height(value), height(errors[index] ?? 0)];
    return { fine, failed, top: Math.max(0, BARS_HEIGHT - fine - failed) };
  });
}
