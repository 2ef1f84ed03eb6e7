// The rows of a combobox: options, a row that loads more, and a row for a custom value.
import type { Choice } from './value';

export type ChoiceRow = { key: string; text: string; kind: 'choice' | 'more' | 'custom'; choice?: Choice };

export type ChoiceList = {
  choices: Choice[];
  /** The typed text, without spaces around it. */
  query: string;
  /** The options are already those of a search. */
  filtered: boolean;
  /** There are further options to load. */
  more: boolean;
  /** Custom values are allowed. */
  custom: boolean;
};

export function choiceRows({ choices, query, filtered, more, custom }: ChoiceList): ChoiceRow[] {
  const filter = filtered ? '' : query.toLowerCase();
  const matching = choices.filter((choice) => choice.label.toLowerCase().includes(filter));
  const rows: ChoiceRow[] = matching.map((choice, index) => ({
    key: `choice-${index}`,
    text: choice.label,
    kind: 'choice',
    choice,
  }));
  if (more) rows.push({ key: 'more', text: 'Load more', kind: 'more' });
  if (custom && query !== '' && !choices.some((choice) => choice.label === query)) {
    rows.push({ key: 'custom', text: `Use “${query}”`, kind: 'custom' });
  }
  return rows;
}

/**
 * The row that Enter selects while no other is active: the option that was typed or else the typed text, as when the focus
 * leaves the field. Without custom values it is the first match. While options are loaded there is none, because they may match
 * better.
 */
export function suggestedRow(rows: ChoiceRow[], query: string, loading: boolean): number {
  if (query === '') return -1;
  const typed = rows.findIndex(({ kind, text }) => kind === 'choice' && text === query);
  if (typed >= 0) return typed;
  const custom = rows.findIndex(({ kind }) => kind === 'custom');
  if (custom >= 0 || loading) return custom;
  return rows.findIndex(({ kind }) => kind === 'choice');
}

/** The active row after a step up (-1) or down (1), in a circle. -1 means that no row is active. */
export function moved(active: number, step: number, count: number): number {
  if (count === 0) return active;
  return (active + step + count + (active < 0 && step < 0 ? 1 : 0)) % count;
}
