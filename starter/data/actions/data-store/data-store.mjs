import { ConfigurationError } from "../../../common/errors.mjs";

const MAX_LISTED = 1000;
/** Operations on all keys. */
const WITHOUT_KEY = ["list", "clear"];

export default {
  key: "data-store",
  name: "Data store",
  description:
    "Reads and changes a data store, a key-value store that sources and workflows share. An increment reads and then writes: runs at the same time may count one of them only.",
  version: "1.0.0",
  type: "action",
  props: {
    store: { type: "data_store", label: "Data store" },
    operation: {
      type: "string",
      label: "Operation",
      options: [
        { label: "Get a value", value: "get" },
        { label: "Set a value", value: "set" },
        { label: "Set a value if the key is new", value: "add" },
        { label: "Increment a number", value: "increment" },
        { label: "Test if a key exists", value: "has" },
        { label: "Delete a key", value: "delete" },
        { label: "List all entries", value: "list" },
        { label: "Delete all entries", value: "clear" },
      ],
      default: "get",
    },
    key: {
      type: "string",
      label: "Key",
      description: "Required, except to list or delete all entries.",
      optional: true,
    },
    value: {
      type: "any",
      label: "Value",
      description: "The value to set, or the number to add. For a missing key, the value to get.",
      optional: true,
    },
    ttl: {
      type: "integer",
      label: "Lifetime (seconds)",
      description: "A set value is deleted after this time.",
      min: 1,
      optional: true,
    },
  },
  async run({ $ }) {
    const { operation, key } = this;
    const needsKey = !WITHOUT_KEY.includes(operation);
    if (needsKey && !key) throw new ConfigurationError("Key is required for this operation");
    const result = await OPERATIONS[operation](this);
    $.export("$summary", needsKey ? `${operation} ${key}` : operation);
    return result;
  },
};

const OPERATIONS = {
  async get({ store, key, value }) {
    return (await store.get(key)) ?? value ?? null;
  },
  async set({ store, key, value, ttl }) {
    if (value === undefined) throw new ConfigurationError("Value is required for this operation");
    await store.set(key, value, { ttl });
    return value;
  },
  async add({ store, key, value, ttl }) {
    if (value === undefined) throw new ConfigurationError("Value is required for this operation");
    const isNew = !(await store.has(key));
    if (isNew) await store.set(key, value, { ttl });
    return { is_new: isNew, value: isNew ? value : await store.get(key) };
  },
  async increment({ store, key, value = 1, ttl }) {
    const [before, amount] = [Number((await store.get(key)) ?? 0), Number(value)];
    if (!Number.isFinite(before)) throw new Error(`The value of ${key} is not a number`);
    if (!Number.isFinite(amount)) throw new ConfigurationError("Value must be the number to add");
    await store.set(key, before + amount, { ttl });
    return before + amount;
  },
  async has({ store, key }) {
    return store.has(key);
  },
  async delete({ store, key }) {
    return store.delete(key);
  },
  async list({ store }) {
    const entries = [];
    for await (const [key, value] of store) {
      if (entries.length === MAX_LISTED) return { entries, truncated: true };
      entries.push({ key, value });
    }
    return { entries, truncated: false };
  },
  async clear({ store }) {
    await store.clear();
    return null;
  },
};
