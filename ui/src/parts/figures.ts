// Number formatting.

// Created once: `toLocaleString` creates a formatter per call, which is slow in long lists.
const plain = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** 1234567 as "1.2M"; small numbers in full. */
export function short(value: number): string {
  return value < 10_000 ? plain.format(value) : compact.format(value);
}

/** 1536 as "1.5 KB". */
export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size < 10 && unit > 0 ? size.toFixed(1) : plain.format(Math.round(size))} ${units[unit]}`;
}

export function count(value: number, one: string, many = `${one}s`): string {
  return `${plain.format(value)} ${value === 1 ? one : many}`;
}
