// Finds the items of a list that were not in it before.
//
// The built-in strategy `unique` remembers 100 ids, and many lists are longer.

import { shortHash } from "./hash.mjs";

/** Ids that are remembered at least, beside those in the current list. */
const REMEMBERED = 2000;

/** The prop for the number of items that the first run emits. */
export function firstItems(what) {
  return {
    type: "integer",
    label: "Items of the first run",
    description: `The number of existing ${what} that the first run emits, the newest ones. Later runs emit all new ${what}.`,
    default: 10,
    min: 0,
    max: 100,
  };
}

/** Items that are new since the last call with this `key`, in their order. `idOf` returns a text. */
export function newItems(db, items, idOf, key = "seen") {
  const stored = db.get(key);
  const known = new Set(stored);
  const current = new Map();
  for (const item of items) {
    const hash = shortHash(idOf(item));
    if (!current.has(hash)) current.set(hash, item);
  }
  const found = [...current].filter(([hash]) => !known.has(hash)).map(([, item]) => item);
  const older = (stored ?? []).filter((hash) => !current.has(hash)).slice(0, REMEMBERED);
  if (found.length > 0 || stored === undefined) db.set(key, [...current.keys(), ...older]);
  return { found, isFirst: stored === undefined };
}

/**
 * The items to emit, the oldest first. Items without a time keep the order of the list, whose first item is the newest. The
 * first run takes only the newest `limit`.
 */
export function toEmit({ found, isFirst }, tsOf, limit) {
  const time = (item) => (Number.isFinite(tsOf(item)) ? tsOf(item) : undefined);
  const newestFirst = found
    .map((item, place) => ({ item, place, ts: time(item) }))
    .sort((a, b) => (a.ts === undefined || b.ts === undefined ? 0 : b.ts - a.ts) || a.place - b.place)
    .map(({ item }) => item);
  return (isFirst ? newestFirst.slice(0, limit) : newestFirst).reverse();
}
