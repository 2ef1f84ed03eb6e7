// The key-value store of the source: JSON texts by key, shared by all invocations of this process.
//
// Invocations overlap, so one may read what another wrote and has not committed yet. Should the process die then, the
// other leaves nothing behind and runs again, and nobody may have committed what was read from it. So the end of an
// invocation is reported only after the ends of all it has read from, with the values it wrote itself.

import { byteLength } from "./keys.mjs";
import { stringify } from "./wire.mjs";

const entries = new Map();
const waiting = new Set();
let writeCount = 0;
let maxBytes = Infinity;
let bytes = 0;

export function setMaxStore(limit) {
  maxBytes = limit;
}

/** Takes in what was stored when the process started. */
export function fillStore(stored) {
  for (const [key, value] of Object.entries(stored)) {
    const json = stringify(value);
    const size = sizeOf(key, json);
    bytes += size;
    entries.set(key, { json, size, writer: undefined, reported: 0 });
  }
}

/** What one invocation does with the store, until its end is reported. */
export class StoreSession {
  #written = new Map();
  #readFrom = new Set();
  #report;
  #reported = false;

  get(key) {
    const entry = entries.get(key);
    const writer = entry?.writer;
    if (writer !== undefined && writer !== this && this.#report === undefined) this.#readFrom.add(writer);
    return entry?.json;
  }

  /** `undefined` deletes. What makes the store larger than it may be is an error, and changes nothing. */
  set(key, json) {
    const entry = entries.get(key) ?? { size: 0, reported: 0 };
    const size = sizeOf(key, json);
    const growth = size - entry.size;
    if (growth > 0 && bytes + growth > maxBytes) {
      throw new RangeError(`db.set("${key}") would make the store larger than ${maxBytes} bytes: nothing was stored`);
    }
    bytes += growth;
    writeCount += 1;
    this.#written.set(key, { json, number: writeCount });
    entries.set(key, Object.assign(entry, { json, size, writer: this }));
  }

  /** Calls `report` with what was written: now, or when all this has read from has ended. False when it has to wait. */
  end(report) {
    this.#report = report;
    if (this.#settle()) {
      for (const other of waiting) other.#settle();
      return true;
    }
    waiting.add(this);
    return false;
  }

  #settle() {
    const order = new Set();
    if (!this.#collect(order)) return false;
    for (const session of order) session.#reportEnd();
    return true;
  }

  // Gathers this and all it has read from, those first; false when one of them has not ended. Two that have read from
  // each other end up in the same set.
  #collect(order, seen = new Set()) {
    if (this.#reported || seen.has(this)) return true;
    if (this.#report === undefined) return false;
    seen.add(this);
    for (const writer of this.#readFrom) {
      if (!writer.#collect(order, seen)) return false;
    }
    order.add(this);
    return true;
  }

  #reportEnd() {
    const rows = [];
    for (const [key, { json, number }] of this.#written) {
      const entry = entries.get(key);
      // A later write of another invocation that has been reported stands.
      if (entry !== undefined && number > entry.reported) {
        entry.reported = number;
        rows.push(writeRow(key, json));
      }
      this.#letGo(key, entry);
    }
    this.#reported = true;
    waiting.delete(this);
    // Nothing may keep the sessions of the past alive.
    this.#written.clear();
    this.#readFrom.clear();
    this.#report(rows);
  }

  #letGo(key, entry) {
    if (entry?.writer !== this) return;
    entry.writer = undefined;
    if (entry.json === undefined) entries.delete(key);
  }
}

function sizeOf(key, json) {
  return json === undefined ? 0 : byteLength(key) + byteLength(json);
}

/** A write as it is reported; one without a value deletes. */
export function writeRow(key, json) {
  return json === undefined ? `[${stringify(key)}]` : `[${stringify(key)},${json}]`;
}
