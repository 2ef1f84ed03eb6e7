// Where on its line the label of each connection stands, so that none lies on another or on a card.
import { channelWords, type Graph, type Route } from './graph';
import { CARD, type Place } from './layout';

type Box = { x: number; y: number; width: number; height: number };
export type Ends = { from: Place; to: Place };

/** Parts of the way. A little before the middle, the labels of two lines that cross are apart by themselves. */
const PARTS = Array.from({ length: 16 }, (_, step) => 0.2 + step * 0.04);
const [LEVEL, STEEP] = [nearest(0.5), nearest(0.38)];
/** What a label takes, as nearly as it can be told before it is drawn: its channels, and room for a figure. */
const LABEL = { height: 22, letter: 6.5, channels: 96, figure: 56 };

/** The part of the way at which each label stands, by the ids of the connections. */
export function alongLines({ routes }: Graph, places: ReadonlyMap<string, Place>): Map<string, number> {
  const taken: Box[] = [...places.values()].map((place) => ({ ...place, ...CARD }));
  const lines = routes.flatMap((route) => {
    const [from, to] = [places.get(route.from), places.get(route.to)];
    return from && to ? [{ route, ends: endsOf(from, to) }] : [];
  });
  // A level line has nowhere to go; steep ones make way.
  lines.sort((a, b) => rise(a.ends) - rise(b.ends));
  const along = new Map<string, number>();
  for (const { route, ends } of lines) {
    const boxAt = (part: number) => around(pointOn(ends, part), widthOf(route));
    const parts = rise(ends) < LABEL.height ? LEVEL : STEEP;
    const free = parts.find((part) => !taken.some((box) => overlap(box, boxAt(part)))) ?? parts[0] ?? 0.5;
    along.set(route.id, free);
    taken.push(boxAt(free));
  }
  return along;
}

/** A point of the curve that leaves to the right and arrives from the left, as xyflow draws it. */
export function pointOn({ from, to }: Ends, part: number): Place {
  const across = to.x - from.x;
  const reach = across >= 0 ? across / 2 : 6.25 * Math.sqrt(-across);
  const rest = 1 - part;
  const weights = [rest ** 3, 3 * rest ** 2 * part, 3 * rest * part ** 2, part ** 3] as const;
  return {
    x: weights[0] * from.x + weights[1] * (from.x + reach) + weights[2] * (to.x - reach) + weights[3] * to.x,
    y: (weights[0] + weights[1]) * from.y + (weights[2] + weights[3]) * to.y,
  };
}

function nearest(wanted: number): number[] {
  return PARTS.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted));
}

function endsOf(from: Place, to: Place): Ends {
  const middle = CARD.height / 2;
  return { from: { x: from.x + CARD.width, y: from.y + middle }, to: { x: to.x, y: to.y + middle } };
}

function rise({ from, to }: Ends): number {
  return Math.abs(to.y - from.y);
}

function widthOf({ channels }: Route): number {
  return Math.min(LABEL.channels, channelWords(channels).length * LABEL.letter) + LABEL.figure;
}

function around({ x, y }: Place, width: number): Box {
  return { x: x - width / 2, y: y - LABEL.height / 2, width, height: LABEL.height };
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}
