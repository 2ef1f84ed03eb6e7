// The key-value store of the source: JSON texts by key, shared by all invocations of this process.
//
// Invocations overlap, so one may read uncommitted writes of another. If the process dies then, the writes of the other are
// lost and it runs again, so no value that depends on them may have been committed. Therefore the end of an invocation is
// reported only after the ends of all invocations it has read from, with its own writes.

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

/** Loads the contents of the store when the process starts. */
export function fillStore(stored) {
  for (const [key, value] of Object.entries(stored)) {
    const json = stringify(value);
    const size = sizeOf(key, json);
    bytes += size;
    entries.set(key, { json, size, writer: undefined, reported: 0 });
  }
}

/** The session of one invocation, until its end is reported. */
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

  /** `undefined` deletes. A write that exceeds the limit of the store throws and changes nothing. */
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

  /** Calls `report` with the writes, now or after all invocations it has read from. Returns false if it has to wait. */
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

  // Collects this session and all it has read from, those first. Returns false if one of them has not ended. Two sessions
  // that have read from each other are in the same set.
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
      // A later write that another invocation has reported wins.
      if (entry !== undefined && number > entry.reported) {
        entry.reported = number;
        rows.push(writeRow(key, json));
      }
      this.#letGo(key, entry);
    }
    this.#reported = true;
    waiting.delete(this);
    // Ended sessions must not be kept in memory.
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

/** A write for the report. Without a value it deletes. */
export function writeRow(key, json) {
  return json === undefined ? `[${stringify(key)}]` : `[${stringify(key)},${json}]`;
}
