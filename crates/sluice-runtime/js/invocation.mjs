// One call into the component: what it has done so far, and the limits it is held to.

import { AsyncLocalStorage } from "node:async_hooks";
import { emitMeta } from "./emit_meta.mjs";
import { describeError } from "./errors.mjs";
import { StoreSession, writeRow } from "./store.mjs";
import { byteLength, text, wellFormed } from "./texts.mjs";
import { flush, send, stringify } from "./wire.mjs";

const current = new AsyncLocalStorage();
const running = new Map();
const { setTimeout, clearTimeout } = globalThis;
const now = performance.now.bind(performance);
/** In bytes. */
let limits = { emit: Infinity, emits: Infinity, log: Infinity };
/** When the deadlines are looked at next. */
let nextSweep = Infinity;
let sweepTimer;

export function setLimits(given) {
  limits = given;
}

/** An overrun limit: it ends the invocation even when the component catches it. */
export class LimitExceeded extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

/** What `$end` throws: it ends the step, and is no error. */
export class RunEnded extends Error {}

/** A value that cannot leave the step. */
class ExportError extends TypeError {
  name = "ExportError";
}

export class Invocation {
  #reportedBytes = 0;
  #logBytes = 0;
  #store;
  #answer = "";
  #flow = "";
  #reply = "";
  #exportedAtEnd;
  /** `$` of a step. */
  tools;
  ended = false;
  responded = false;

  constructor(id, module, timeoutMs, alone) {
    this.id = id;
    this.module = module;
    this.timeoutMs = timeoutMs;
    this.startedAt = now();
    this.alone = alone;
  }

  emit(event, meta) {
    if (this.isOver("$emit", "the event was not emitted")) return;
    const data = wellFormed(stringify(event) ?? "null");
    this.#measure(data, "Emit", "the emitted event", "emitted");
    send(`{"t":"emit","i":"${this.id}","e":${data},"m":${emitMeta(meta)}}`);
    if (this.alone) flush();
  }

  /** A named export of a step; what JSON leaves out is left out here too. */
  export(name, value) {
    if (this.isOver("$.export")) return;
    const key = text(name);
    if (key === "") throw new TypeError("an export needs a name");
    const json = this.json(value, `the export ${key}`);
    if (json === undefined) return;
    this.#measure(json, "Export", `the export ${key}`, "exported");
    send(`{"t":"export","i":"${this.id}","m":${stringify(key)},"e":${json}}`);
    if (this.alone) flush();
  }

  /** What is in `exports` when the step ends is exported too. */
  exportAtEnd(exports) {
    this.#exportedAtEnd = exports;
  }

  send(kind, payload) {
    if (this.isOver(`$.send.${kind}`)) return;
    const json = this.json(payload, `what $.send.${kind} was given`);
    this.#measure(json, "Send", `what $.send.${kind} was given`, "sent");
    send(`{"t":"send","i":"${this.id}","k":"${kind}","e":${json}}`);
    if (this.alone) flush();
  }

  /** How the run goes on after this step; the last one counts. */
  setFlow(fields) {
    if (!this.isOver("$.flow")) this.#flow = `,"flow":{${fields}}`;
  }

  /** The JSON of what a step keeps for when it runs again. */
  kept(value) {
    const json = this.json(value, "the context of a rerun") ?? "null";
    if (!this.ended) this.#measure(json, "Export", "the context of a rerun", "exported");
    return json;
  }

  /** JSON that every reader takes; `undefined` for what JSON does not have. */
  json(value, what) {
    try {
      const json = stringify(value);
      return json === undefined ? undefined : wellFormed(json);
    } catch (error) {
      throw new ExportError(`${what} cannot be written as JSON: ${error?.message}`);
    }
  }

  /** Whether it has ended, and `what` comes too late. */
  isOver(what, consequence = "nothing was done") {
    if (this.ended) {
      this.log("error", "error", `${what} was called after the invocation had ended: ${consequence}`);
    }
    return this.ended;
  }

  #measure(json, name, what, did) {
    if (byteLength(json, limits.emit) > limits.emit) {
      throw this.#exceeded(`${name}TooLarge`, `${what} is larger than ${limits.emit} bytes`);
    }
    this.#reportedBytes += byteLength(json, Infinity);
    if (this.#reportedBytes > limits.emits) {
      throw this.#exceeded(`${name}Limit`, `the invocation ${did} more than ${limits.emits} bytes`);
    }
  }

  log(kind, level, message) {
    this.#logBytes += message.length;
    if (this.#logBytes > limits.log) {
      if (this.ended) return;
      throw this.#exceeded("LogLimit", `the invocation logged more than ${limits.log} bytes`);
    }
    writeLog(this.id, kind, level, message);
    if (this.alone) flush();
  }

  respond(reply) {
    if (this.ended || this.responded) return;
    this.responded = true;
    send(`{"t":"respond","i":"${this.id}",${reply}}`);
    flush();
  }

  /** Answers when the run ends. */
  respondAtEnd(reply) {
    if (this.ended || this.responded) return;
    this.responded = true;
    this.#reply = `,"reply":{${reply}}`;
  }

  /** What it does with the key-value store; most invocations do nothing. */
  get store() {
    this.#store ??= new StoreSession();
    return this.#store;
  }

  /** Reports a write at once, in case this code never gives the turn back. */
  wrote(key, json) {
    if (!this.alone) return;
    send(`{"t":"write","i":"${this.id}","db":[${writeRow(key, json)}]}`);
    flush();
  }

  /** What a question gets back with its end. */
  answer(value) {
    const json = wellFormed(stringify(value));
    if (byteLength(json, limits.emit) > limits.emit) {
      throw new LimitExceeded("AnswerTooLarge", `the answer is larger than ${limits.emit} bytes`);
    }
    this.#answer = `,"ret":${json}`;
  }

  #exceeded(name, message) {
    const error = new LimitExceeded(name, message);
    this.end(error);
    return error;
  }

  // What a step leaves to export when it ends; gives the error it ends with.
  #exportRest(error) {
    const exports = this.#exportedAtEnd;
    if (exports === undefined) return error;
    this.#exportedAtEnd = undefined;
    try {
      for (const [name, value] of Object.entries(exports)) this.export(name, value);
      return error;
    } catch (problem) {
      return error ?? orError(problem);
    }
  }

  end(thrown) {
    if (this.ended) return;
    const error = this.#exportRest(thrown instanceof RunEnded ? undefined : thrown);
    if (this.ended) return;
    this.ended = true;
    running.delete(this.id);
    const failure = error === undefined ? "" : `,"err":${stringify(describeError(error))}`;
    const gave = `${this.#answer}${this.#flow}${this.#reply}`;
    const end = `{"t":"end","i":"${this.id}","ms":${Math.ceil(now() - this.startedAt)}${failure}${gave}`;
    if (this.#store === undefined) {
      send(`${end}}`);
      return;
    }
    const report = (rows) => send(rows.length === 0 ? `${end}}` : `${end},"db":[${rows.join(",")}]}`);
    if (!this.#store.end(report)) send(`{"t":"held","i":"${this.id}"}`);
  }
}

export function currentInvocation() {
  return current.getStore() ?? soleInvocation();
}

// Some callbacks (timers of node modules, sockets) lose their context; with one invocation running
// there is no doubt whose they are.
function soleInvocation() {
  return running.size === 1 ? running.values().next().value : undefined;
}

/** Runs `body` as the invocation `id`; reports its end whatever happens. */
export function invoke({ id, module, timeoutMs, alone }, body) {
  const invocation = new Invocation(id, module, timeoutMs, alone);
  running.set(id, invocation);
  sweepBy(invocation.startedAt + timeoutMs);
  current.run(invocation, async () => {
    try {
      await body(invocation);
      invocation.end();
    } catch (error) {
      invocation.end(orError(error));
    }
  });
}

/** An error nobody caught ends the invocation it belongs to, or is logged when that is unknown. */
export function uncaught(error, invocation = currentInvocation()) {
  if (invocation && !invocation.ended) {
    invocation.end(orError(error));
    return;
  }
  const { name, message, stack } = describeError(error);
  const line = stack || `${name}: ${message}`;
  // What an ended invocation left running may fail for ever: its lines still count against its limit.
  if (invocation) invocation.log("error", "error", line);
  else writeLog(undefined, "error", "error", line);
}

// To throw nothing is to throw all the same.
function orError(thrown) {
  return thrown ?? new Error(`the component threw ${thrown}`);
}

export function bindToInvocation(callback) {
  const invocation = current.getStore();
  if (!invocation || typeof callback !== "function") return callback;
  return function (...args) {
    try {
      return callback.apply(this, args);
    } catch (error) {
      uncaught(error, invocation);
    }
  };
}

// One timer for the earliest deadline is enough. Most invocations of a process have the same time limit, so that the busy
// path hardly ever touches it.
function sweepBy(time) {
  if (time >= nextSweep) return;
  nextSweep = time;
  clearTimeout(sweepTimer);
  sweepTimer = setTimeout(sweepDeadlines, time - now());
}

function sweepDeadlines() {
  nextSweep = Infinity;
  const time = now();
  for (const invocation of running.values()) {
    const deadline = invocation.startedAt + invocation.timeoutMs;
    if (deadline <= time) {
      invocation.end(new LimitExceeded("Timeout", `the invocation ran longer than ${invocation.timeoutMs} ms`));
    } else {
      sweepBy(deadline);
    }
  }
}

export function writeLog(id, kind, level, message) {
  const owner = id === undefined ? "" : `"i":"${id}",`;
  send(`{"t":"log",${owner}"k":"${kind}","l":"${level}","ts":${Date.now()},"m":${stringify(message)}}`);
}
