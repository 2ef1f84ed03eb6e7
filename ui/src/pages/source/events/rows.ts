// Events as list rows: a time and one line of text.
import type { EventSummary } from '../../../api/types';
import { visible } from '../../../parts/json/lines';
import { dayOf } from '../../../parts/time';
import { cellOf } from '../../../search/columns';

const LINE_LENGTH = 240;

export type Row = {
  id: string;
  ms: number;
  channel: string;
  /** The summary, else the beginning of the data. */
  line: string;
  summarised: boolean;
  /** The texts of the columns. */
  cells: string[];
};

export type Item = { kind: 'day'; key: string; name: string } | { kind: 'event'; key: string; row: Row };

type TruncatedEvent = { $truncated: true; preview: string };

export function isTruncated(event: unknown): event is TruncatedEvent {
  return typeof event === 'object' && event !== null && '$truncated' in event && 'preview' in event;
}

/** The row of an event. `data` is the beginning of its JSON, if available. */
export function rowOf(summary: EventSummary, columns: string[] = [], data?: string): Row {
  const { id, indexed_at_ms: ms, event, metadata } = summary;
  const given = metadata.summary;
  const summarised = given !== undefined && given !== null && given !== '';
  const words = summarised ? text(given) : (data ?? text(isTruncated(event) ? event.preview : event));
  return {
    id,
    ms,
    channel: metadata.name,
    line: oneLine(words),
    summarised,
    cells: columns.map((path) => oneLine(cellOf(event, path))),
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function oneLine(words: string): string {
  return visible(words.slice(0, LINE_LENGTH).replace(/\s+/g, ' ').trim());
}

/** The row of a stream message. For a large event only the beginning is used. */
export function rowOfMessage(json: string, columns: string[] = []): Row {
  const start = json.indexOf('"event":') + '"event":'.length;
  return rowOf(
    JSON.parse(json) as EventSummary,
    columns,
    json.length > 10_000 ? copy(json.slice(start, start + LINE_LENGTH)) : undefined,
  );
}

/** Copies a string: in browsers a slice keeps the whole original in memory. */
function copy(part: string): string {
  return JSON.parse(JSON.stringify(part)) as string;
}

/** Rows grouped by day. */
export function byDay(rows: Row[], now: number): Item[] {
  const items: Item[] = [];
  let last = '';
  for (const row of rows) {
    const day = dayOf(row.ms, now);
    if (day.key !== last) items.push({ kind: 'day', key: day.key, name: day.name });
    last = day.key;
    items.push({ kind: 'event', key: row.id, row });
  }
  return items;
}
