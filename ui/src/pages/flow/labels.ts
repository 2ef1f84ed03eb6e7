// Positions of edge labels, so that they overlap neither each other nor cards.
import { channelText, type Graph, type Route } from './graph';
import { CARD, type Position } from './layout';

type Box = { x: number; y: number; width: number; height: number };
export type Ends = { from: Position; to: Position };

/** Candidate positions as a fraction of the edge. Labels of crossing edges do not meet a little before the middle. */
const FRACTIONS = Array.from({ length: 16 }, (_, step) => 0.2 + step * 0.04);
const [LEVEL, STEEP] = [nearest(0.5), nearest(0.38)];
/** The estimated size of a label: its channels, and space for a rate. */
const LABEL = { height: 22, letter: 6.5, channels: 96, figure: 56 };

/** The position of each label on its edge, by edge id. */
export function labelPositions({ routes }: Graph, positions: ReadonlyMap<string, Position>): Map<string, number> {
  const taken: Box[] = [...positions.values()].map((position) => ({ ...position, ...CARD }));
  const lines = routes.flatMap((route) => {
    const [from, to] = [positions.get(route.from), positions.get(route.to)];
    return from && to ? [{ route, ends: endsOf(from, to) }] : [];
  });
  // Horizontal edges are placed first, because steep ones have more free positions.
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

/** A point on the Bézier curve that xyflow draws. */
export function pointOn({ from, to }: Ends, part: number): Position {
  const across = to.x - from.x;
  const reach = across >= 0 ? across / 2 : 6.25 * Math.sqrt(-across);
  const rest = 1 - part;
  const weights = [rest ** 3, 3 * rest ** 2 * part, 3 * rest * part ** 2, part ** 3] as const;
  return {
    x: weights[0] * from.x + weights[1] * (from.x + reach) + weights[2] * (to.x - reach) + weights[3] * to.x,
    y: (weights[0] + weights[1]) * from.y + (weights[2] + weights[3]) * to.y,
  };
}

function nearest(target: number): number[] {
  return FRACTIONS.toSorted((a, b) => Math.abs(a - target) - Math.abs(b - target));
}

function endsOf(from: Position, to: Position): Ends {
  const middle = CARD.height / 2;
  return { from: { x: from.x + CARD.width, y: from.y + middle }, to: { x: to.x, y: to.y + middle } };
}

function rise({ from, to }: Ends): number {
  return Math.abs(to.y - from.y);
}

function widthOf({ channels }: Route): number {
  return Math.min(LABEL.channels, channelText(channels).length * LABEL.letter) + LABEL.figure;
}

function around({ x, y }: Position, width: number): Box {
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
