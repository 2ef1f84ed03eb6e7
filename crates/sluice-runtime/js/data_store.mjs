// A data store for the component: a key-value store outside of the process, shared by the user's sources.

import { ask } from "./asks.mjs";
import { byteLength, storeKey } from "./keys.mjs";
import { stringify } from "./wire.mjs";

let maxValueBytes = Infinity;

export function setMaxValue(bytes) {
  maxValueBytes = bytes;
}

/** The supervisor maps `prop` to the store. */
export function dataStore(prop, invocation) {
  const request = (op, fields = []) =>
    ask(invocation, `data_store.${op}`, `{${[`"prop":${stringify(prop)}`, ...fields].join(",")}}`);
  return {
    async get(key) {
      const [value] = await request("get", [keyField(key)]);
      return value;
    },
    async set(key, value, options) {
      const fields = [keyField(key), `"value":${valueJson(value)}`];
      if (options?.ttl !== undefined) fields.push(ttlField(options.ttl));
      await request("set", fields);
    },
    async has(key) {
      return request("has", [keyField(key)]);
    },
    async delete(key) {
      return request("delete", [keyField(key)]);
    },
    async clear() {
      await request("clear");
    },
    /** Returns true if the key exists. `null` removes the expiry. */
    async setTtl(key, seconds) {
      return request("set_ttl", [keyField(key), ttlField(seconds)]);
    },
    async keys() {
      return collect(pages("keys", (key) => key));
    },
    async values() {
      return (await collect(pages("entries", ([key]) => key))).map(([, value]) => value);
    },
    async entries() {
      return collect(pages("entries", ([key]) => key));
    },
    [Symbol.asyncIterator]: () => pages("entries", ([key]) => key),
  };

  async function* pages(op, keyOf) {
    for (let after = ""; ; ) {
      const page = await request(op, [`"after":${stringify(after)}`]);
      if (page.length === 0) return;
      yield* page;
      after = keyOf(page.at(-1));
    }
  }
}

function keyField(key) {
  const name = storeKey(key);
  if (name === "") throw new TypeError("a key of a data store must not be empty");
  return `"key":${stringify(name)}`;
}

function valueJson(value) {
  const json = stringify(value);
  if (json === undefined) throw new TypeError("a value of a data store must be JSON: use delete to remove a key");
  if (byteLength(json) > maxValueBytes) {
    throw new RangeError(`a value of a data store must be at most ${maxValueBytes} bytes long`);
  }
  return json;
}

// In milliseconds; 0 means no expiry.
function ttlField(seconds) {
  const ttl = Number(seconds ?? 0);
  if (!Number.isFinite(ttl) || ttl < 0) throw new TypeError(`a ttl is a number of seconds, not ${seconds}`);
  return `"ttl_ms":${Math.min(Math.ceil(ttl * 1000), Number.MAX_SAFE_INTEGER)}`;
}

async function collect(items) {
  const list = [];
  for await (const item of items) list.push(item);
  return list;
}
