// The metadata of an emitted event.

import { text, wellFormed } from "./texts.mjs";
import { stringify } from "./wire.mjs";

const ID_TYPES = ["string", "number", "bigint"];
const LONGEST_HOLD_MS = 366 * 24 * 3600 * 1000;

/** As JSON. */
export function emitMeta(meta) {
  if (meta === undefined || meta === null) return "{}";
  const { id, name, summary, ts, delivery_ts: deliveryTs } = meta;
  const fields = {};
  // An id of another type is reported as such: two objects would become the same text.
  if (id !== undefined && id !== null) fields.id = ID_TYPES.includes(typeof id) ? text(id) : false;
  if (name !== undefined && name !== null) {
    const channel = text(name);
    if (channel.startsWith("$")) {
      throw new TypeError(`an event cannot be emitted to "${channel}": names that begin with $ are reserved`);
    }
    fields.name = channel === "default" ? "" : channel;
  }
  if (summary !== undefined && summary !== null) fields.summary = text(summary);
  if (ts !== undefined && ts !== null) fields.ts = ts;
  if (deliveryTs !== undefined && deliveryTs !== null) fields.delivery_ts = deliveryTime(deliveryTs);
  return wellFormed(stringify(fields));
}

function deliveryTime(value) {
  const time = Math.trunc(Number(value));
  if (!Number.isFinite(time)) {
    throw new TypeError("delivery_ts must be a time in milliseconds since the epoch");
  }
  if (time > Date.now() + LONGEST_HOLD_MS) {
    throw new RangeError("delivery_ts must not be more than a year ahead");
  }
  return Math.max(time, 0);
}
