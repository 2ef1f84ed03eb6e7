// The key-value store of a tenant: JSON texts by key, shared by all its invocations.
//
// Invocations overlap, so one may read uncommitted writes of another. If the process dies then, the writes of the other are
// lost and it runs again, so no value that depends on them may have been committed. Therefore the end of an invocation is
// reported only after the ends of all invocations it has read from, with its own writes.

import { byteLength } from "./keys.mjs";
import { stringify } from "./wire.mjs";

export class Store {
  entries = new Map();
  /** Ended sessions whose end cannot be reported yet. */
  waiting = new Set();
  writeCount = 0;
  maxBytes = Infinity;
  bytes = 0;

  /** Loads the contents of the store when the tenant starts. */
  fill(stored) {
    for (const [key, value] of Object.entries(stored)) {
      const json = stringify(value);
      const size = sizeOf(key, json);
      this.bytes += size;
      this.entries.set(key, { json, size, writer: undefined, reported: 0 });
    }
  }
}

/** The session of one invocation, until its end is reported. */
export class StoreSession {
  #store;
  #written = new Map();
  #readFrom = new Set();
  #report;
  #reported = false;

  constructor(store) {
    this.#store = store;
  }

  get(key) {
    const entry = this.#store.entries.get(key);
    const writer = entry?.writer;
    if (writer !== undefined && writer !== this && this.#report === undefined) this.#readFrom.add(writer);
    return entry?.json;
  }

  /** `undefined` deletes. A write that exceeds the limit of the store throws and changes nothing. */
  set(key, json) {
    const store = this.#store;
    const entry = store.entries.get(key) ?? { size: 0, reported: 0 };
    const size = sizeOf(key, json);
    const growth = size - entry.size;
    if (growth > 0 && store.bytes + growth > store.maxBytes) {
      throw new RangeError(
        `db.set("${key}") would make the store larger than ${store.maxBytes} bytes: nothing was stored`,
      );
    }
    store.bytes += growth;
    store.writeCount += 1;
    this.#written.set(key, { json, number: store.writeCount });
    store.entries.set(key, Object.assign(entry, { json, size, writer: this }));
  }

  /** Calls `report` with the writes, now or after all invocations it has read from. Returns false if it has to wait. */
  end(report) {
    this.#report = report;
    if (this.#settle()) {
      for (const other of this.#store.waiting) other.#settle();
      return true;
    }
    this.#store.waiting.add(this);
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
      const entry = this.#store.entries.get(key);
      // A later write that another invocation has reported wins.
      if (entry !== undefined && number > entry.reported) {
        entry.reported = number;
        rows.push(writeRow(key, json));
      }
      this.#letGo(key, entry);
    }
    this.#reported = true;
    this.#store.waiting.delete(this);
    // Ended sessions must not be kept in memory.
    this.#written.clear();
    this.#readFrom.clear();
    this.#report(rows);
  }

  #letGo(key, entry) {
    if (entry?.writer !== this) return;
    entry.writer = undefined;
    if (entry.json === undefined) this.#store.entries.delete(key);
  }
}

function sizeOf(key, json) {
  return json === undefined ? 0 : byteLength(key) + byteLength(json);
}

/** A write for the report. Without a value it deletes. */
export function writeRow(key, json) {
  return json === undefined ? `[${stringify(key)}]` : `[${stringify(key)},${json}]`;
}
