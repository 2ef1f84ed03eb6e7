// The effects of a component in a test, collected from the messages to the supervisor.

import { answered } from "./asks.mjs";

export class Report {
  #keyPrefix;
  #resolve;
  /** Resolves to the report when the invocation has ended. */
  ended;

  constructor({ db, keyPrefix, stores }) {
    this.#keyPrefix = keyPrefix;
    const { promise, resolve } = Promise.withResolvers();
    this.ended = promise;
    this.#resolve = resolve;
    this.told = {
      emits: [],
      logs: [],
      response: undefined,
      returned: undefined,
      exports: {},
      sends: [],
      flow: undefined,
      error: undefined,
      db,
      stores: Object.fromEntries(stores.map(({ name, values }) => [name, values])),
    };
    this.stores = new Map(stores.map((store) => [store.name, store]));
  }

  take(message) {
    const { told } = this;
    switch (message.t) {
      case "emit":
        told.emits.push({ event: message.e, ...message.m });
        break;
      case "log":
        told.logs.push({ level: message.l, message: message.m });
        break;
      case "respond":
        told.response ??= answerOf(message);
        break;
      case "export":
        told.exports[message.m] = message.e;
        break;
      case "send":
        told.sends.push({ kind: message.k, payload: message.e });
        break;
      case "ask":
        this.#answer(message);
        break;
      case "end":
        this.#end(message);
        break;
    }
  }

  #answer({ n, op, a }) {
    const method = op.slice("data_store.".length);
    answered({ n, v: this.stores.get(a.prop)[method](a) });
  }

  #end({ err, flow, reply, db = [] }) {
    const { told } = this;
    if (err !== undefined) told.error = thrown(err);
    told.flow = flow;
    if (reply !== undefined) told.response ??= answerOf(reply);
    for (const [key, ...value] of db) {
      const name = key.slice(this.#keyPrefix.length);
      if (value.length === 0) delete told.db[name];
      else told.db[name] = value[0];
    }
    this.#resolve(told);
  }
}

function thrown({ name, message, stack, code }) {
  return code === undefined ? { name, message, stack } : { name, message, stack, code };
}

function answerOf({ s: status, h: headers, b: text, x: base64 }) {
  const body = base64 === undefined ? (text ?? "") : Uint8Array.fromBase64(base64);
  return { status, headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])), body };
}
