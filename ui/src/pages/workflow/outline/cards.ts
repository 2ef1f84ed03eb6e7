// The items of an outline as cards.
import { scheduleOf, scheduleText } from '../../../forms/schedule';
import { channelText } from '../triggers';
import { builtinOf } from './builtins';
import { type ItemNode, isBlockScalar, scalarText, valueAt } from './yaml/nodes';
import type { ListName, Outline } from './yaml/read';
import { referencesOf } from './yaml/references';
import { equal } from './yaml/text';

export type StepKind = 'action' | 'code' | 'file' | 'other';
export type TriggerKind = 'http' | 'schedule' | 'events' | 'other';

export type Card = {
  list: ListName;
  index: number;
  /** Stays the same when the item moves. */
  key: string;
  title: string;
  note: string;
  kind: StepKind | TriggerKind;
  /** The key or id of an action, or the path of a file. */
  reference: string;
  /** The built-in step whose code it has, for its icon. */
  builtin: string;
  /** Its map can be edited. Otherwise the card only shows where it is. */
  editable: boolean;
  /** Names that it refers to and that no earlier step has. */
  unknown: string[];
};

const STEP_KINDS = ['action', 'code', 'file'] as const;
const TRIGGER_KINDS = ['http', 'schedule', 'events'] as const;
const UNTITLED = 'Unnamed step';

export type Cards = { triggers: Card[]; steps: Card[] };

/** The cards of a document. Cards that are as before are the same objects, so that only the others are drawn again. */
export function cardsOf(outline: Outline, before?: Cards): Cards {
  const steps = outline.steps.items.map(({ item }, index) => ({ ...cached(item, stepCard), index }));
  const triggers = outline.triggers.items.map(({ item }, index) => ({ ...cached(item, triggerCard), index }));
  findUnknown(outline, steps);
  return { triggers: kept(unique(triggers), before?.triggers), steps: kept(unique(steps), before?.steps) };
}

/** The cards of items, which do not change. */
const described = new WeakMap<ItemNode, Card>();

function cached(item: ItemNode, describe: (item: ItemNode) => Card): Card {
  const card = described.get(item) ?? describe(item);
  described.set(item, card);
  return card;
}

function kept(cards: Card[], before: Card[] = []): Card[] {
  const known = new Map(before.map((card) => [card.key, card]));
  return cards.map((card) => {
    const old = known.get(card.key);
    return old && equal(old, card) ? old : card;
  });
}

/** Items with the same name get a number in their key. */
function unique(cards: Card[]): Card[] {
  const seen = new Map<string, number>();
  return cards.map((card) => {
    const count = (seen.get(card.key) ?? 0) + 1;
    seen.set(card.key, count);
    return count === 1 ? card : { ...card, key: `${card.key} ${count}` };
  });
}

function stepCard(item: ItemNode): Card {
  const { node } = item;
  const name = scalarText(valueAt(node, 'name'));
  const kind = STEP_KINDS.find((one) => valueAt(node, one)) ?? 'other';
  const reference = kind === 'action' || kind === 'file' ? scalarText(valueAt(node, kind)) : '';
  const code = kind === 'code' ? scalarText(valueAt(node, 'code')) : '';
  const builtin = builtinOf(code);
  return {
    list: 'steps',
    index: 0,
    key: `step ${name}`,
    title: name || UNTITLED,
    note:
      kind === 'code'
        ? (builtin?.name ?? codeNote(code, isBlockScalar(valueAt(node, 'code'))))
        : kind === 'other'
          ? 'Not understood'
          : reference,
    kind,
    reference,
    builtin: builtin?.id ?? '',
    editable: kind !== 'other' && node !== null && 'items' in node,
    unknown: [],
  };
}

function codeNote(code: string, block: boolean): string {
  const lines = code.trimEnd().split('\n').length;
  return block && lines > 1 ? `Code, ${lines} lines` : 'Code';
}

function triggerCard(item: ItemNode): Card {
  const { node } = item;
  const value = (item.value ?? {}) as Record<string, unknown>;
  const kind = TRIGGER_KINDS.find((one) => value !== null && typeof value === 'object' && one in value) ?? 'other';
  const inner = (kind === 'other' ? {} : (value[kind] ?? {})) as Record<string, unknown>;
  const texts: Record<TriggerKind, [string, string]> = {
    http: ['HTTP request', inner.custom_response === true ? 'Custom response' : 'Each request to the endpoint'],
    schedule: ['Schedule', scheduleText(scheduleOf(inner))],
    events: ['Events', `From ${text(inner.from) || 'no source'}${channelText(text(inner.event_name))}`],
    other: ['Trigger', 'Not understood'],
  };
  const [title, note] = texts[kind];
  return {
    list: 'triggers',
    index: 0,
    key: `trigger ${kind}`,
    title,
    note,
    kind,
    reference: '',
    builtin: '',
    editable: kind !== 'other' && node !== null && 'items' in node,
    unknown: [],
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Code may have its own variable `steps`, so there only the names of later steps count. */
function findUnknown(outline: Outline, cards: Card[]) {
  const all = new Set(cards.map(({ title }) => title));
  const none: string[] = [];
  const earlier = new Set(['trigger']);
  cards.forEach((card, index) => {
    const item = outline.steps.items[index]?.item;
    const wrong = item
      ? referencesOf(item).filter(({ name, expression }) => !earlier.has(name) && (expression || all.has(name)))
      : [];
    // A step that runs again reads its own exports.
    card.unknown =
      wrong.length === 0 ? none : [...new Set(wrong.map(({ name }) => name))].filter((name) => name !== card.title);
    earlier.add(card.title);
  });
}

/** A card in words, for screen readers. */
export function spoken({ list, index, title }: Pick<Card, 'list' | 'index' | 'title'>, count: number): string {
  return `${list === 'steps' ? 'Step' : 'Trigger'} ${title}, ${index + 1} of ${count}`;
}
