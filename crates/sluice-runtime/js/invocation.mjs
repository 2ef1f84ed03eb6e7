// One call into the component: its effects so far, and its limits.

import { invocationHere, loadingTenant, runFor } from "./context.mjs";
import { emitMeta } from "./emit_meta.mjs";
import { FileNames } from "./errors.mjs";
import { StoreSession, writeRow } from "./store.mjs";
import { soleTenant, tenantInStack } from "./tenant.mjs";
import { byteLength, text, wellFormed } from "./texts.mjs";
import { flush, send, stringify } from "./wire.mjs";

const running = new Set();
const now = performance.now.bind(performance);
const timeout = AbortSignal.timeout.bind(AbortSignal);
/** Even empty ones take memory in the server. */
const MOST_MESSAGES = 100_000;
const MOST_LINES = 50_000;
/** In bytes. */
let limits = { emit: Infinity, emits: Infinity, log: Infinity, reply: Infinity };
/** The time of the next check of deadlines. */
let nextSweep = Infinity;
/** The timer of that check. Unlike `setTimeout` it needs no part of Node. */
let sweepSignal;

export function setLimits(given) {
  limits = given;
}

/** An exceeded limit. It ends the invocation even if the component catches it. */
export class LimitExceeded extends Error {
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}

/** Thrown by `$end`. It ends the step and is not an error. */
export class RunEnded extends Error {}

/** A value that cannot be exported. */
class ExportError extends TypeError {
  name = "ExportError";
}

export class Invocation {
  // Component code may get hold of this object, and must not be able to report for another one.
  #id;
  #tenant;
  #messages = 0;
  #reportedBytes = 0;
  #lines = 0;
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

  constructor({ id, tenant, module, timeoutMs, alone }) {
    this.#id = id;
    this.#tenant = tenant;
    this.module = module;
    this.timeoutMs = timeoutMs;
    this.startedAt = now();
    this.alone = alone;
  }

  get tenant() {
    return this.#tenant;
  }

  #report(line) {
    send(this.#tenant.number, line);
  }

  emit(event, meta) {
    if (this.isOver("$emit", "the event was not emitted")) return;
    const data = wellFormed(stringify(event) ?? "null");
    this.#measure(data, "Emit", "the emitted event", "emitted");
    this.#report(`{"t":"emit","i":"${this.#id}","e":${data},"m":${emitMeta(meta)}}`);
    if (this.alone) flush();
  }

  /** The inputs of a step, as a JSON object. They are reported at once, because its code may block forever. */
  inputs(json) {
    this.#report(`{"t":"inputs","i":"${this.#id}","e":${json}}`);
    if (this.alone) flush();
  }

  /** A named export of a step. Values without a JSON form are left out. */
  export(name, value) {
    if (this.isOver("$.export")) return;
    const key = text(name);
    if (key === "") throw new TypeError("an export needs a name");
    const json = this.json(value, `the export ${key}`);
    if (json === undefined) return;
    this.#measure(json, "Export", `the export ${key}`, "exported");
    this.#report(`{"t":"export","i":"${this.#id}","m":${stringify(key)},"e":${json}}`);
    if (this.alone) flush();
  }

  /** The properties of `exports` at the end of the step are exported too. */
  exportAtEnd(exports) {
    this.#exportedAtEnd = exports;
  }

  send(kind, payload) {
    if (this.isOver(`$.send.${kind}`)) return;
    const json = this.json(payload, `what $.send.${kind} was given`);
    this.#measure(json, "Send", `what $.send.${kind} was given`, "sent");
    this.#report(`{"t":"send","i":"${this.#id}","k":"${kind}","e":${json}}`);
    if (this.alone) flush();
  }

  /** How the run continues after this step. The last call counts. */
  setFlow(fields) {
    if (!this.isOver("$.flow")) this.#flow = `,"flow":{${fields}}`;
  }

  /** The JSON of the context that a step keeps for its next run. */
  kept(value) {
    const json = this.json(value, "the context of a rerun") ?? "null";
    if (!this.ended) this.#measure(json, "Export", "the context of a rerun", "exported");
    return json;
  }

  /** JSON that strict parsers accept; `undefined` for values without a JSON form. */
  json(value, what) {
    try {
      const json = stringify(value);
      return json === undefined ? undefined : wellFormed(json);
    } catch (error) {
      throw new ExportError(`${what} cannot be written as JSON: ${error?.message}`);
    }
  }

  /** Whether it has ended, so that `what` is too late. */
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
    this.#messages += 1;
    if (this.#messages > MOST_MESSAGES) {
      throw this.#exceeded(`${name}Limit`, `the invocation ${did} more than ${MOST_MESSAGES} times`);
    }
    this.#reportedBytes += byteLength(json, Infinity);
    if (this.#reportedBytes > limits.emits) {
      throw this.#exceeded(`${name}Limit`, `the invocation ${did} more than ${limits.emits} bytes`);
    }
  }

  log(kind, level, message) {
    this.#logBytes += message.length;
    this.#lines += 1;
    if (this.#logBytes > limits.log || this.#lines > MOST_LINES) {
      if (this.ended) return;
      const most = this.#lines > MOST_LINES ? `${MOST_LINES} lines` : `${limits.log} bytes`;
      throw this.#exceeded("LogLimit", `the invocation logged more than ${most}`);
    }
    writeLog(this.#tenant, this.#id, kind, level, message);
    if (this.alone) flush();
  }

  respond(reply) {
    if (this.ended || this.responded) return;
    checkReply(reply);
    this.responded = true;
    this.#report(`{"t":"respond","i":"${this.#id}",${reply}}`);
    flush();
  }

  /** The response of the run, sent when the run ends. */
  respondAtEnd(reply) {
    if (this.ended || this.responded) return;
    checkReply(reply);
    this.responded = true;
    this.#reply = `,"reply":{${reply}}`;
  }

  /** Its session of the key-value store, created at first use. */
  get store() {
    this.#store ??= new StoreSession(this.#tenant.store);
    return this.#store;
  }

  /** Reports a write at once, in case this code blocks forever. */
  wrote(key, json) {
    if (!this.alone) return;
    this.#report(`{"t":"write","i":"${this.#id}","db":[${writeRow(key, json)}]}`);
    flush();
  }

  /** The answer to a question, reported with its end. */
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

  // Exports the remaining values at the end of a step. Returns the error it ends with.
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
    running.delete(this);
    const failure = error === undefined ? "" : `,"err":${stringify(this.#tenant.names.describeError(error))}`;
    const gave = `${this.#answer}${this.#flow}${this.#reply}`;
    const end = `{"t":"end","i":"${this.#id}"${failure}${gave}`;
    if (this.#store === undefined) {
      this.#report(`${end}}`);
      return;
    }
    const report = (rows) => this.#report(rows.length === 0 ? `${end}}` : `${end},"db":[${rows.join(",")}]}`);
    if (!this.#store.end(report)) this.#report(`{"t":"held","i":"${this.#id}"}`);
  }

  /** Asks the supervisor. `args` is JSON. */
  ask(number, op, args) {
    const asker = `"i":"${this.#id}","module":${stringify(this.module)}`;
    this.#report(`{"t":"ask",${asker},"n":${number},"op":${stringify(op)},"a":${args}}`);
  }
}

export function currentInvocation() {
  return invocationHere() ?? soleInvocation();
}

// Some callbacks (timers of node modules, sockets) lose their context. If only one invocation runs, they belong to it. In a
// process with several tenants they may belong to another tenant.
function soleInvocation() {
  return running.size === 1 && soleTenant() ? running.values().next().value : undefined;
}

/** The tenant whose code runs outside of an invocation, if it is known. */
export function currentTenant() {
  return loadingTenant() ?? soleTenant();
}

/** Runs `body` as the invocation `id` and always reports its end. */
export function invoke(given, body) {
  const invocation = new Invocation(given);
  running.add(invocation);
  sweepBy(invocation.startedAt + invocation.timeoutMs);
  runFor(invocation, async () => {
    try {
      await body(invocation);
      invocation.end();
    } catch (error) {
      invocation.end(orError(error));
    }
  });
}

/** An uncaught error ends its invocation, or is logged if that is unknown. */
export function uncaught(error, invocation = currentInvocation()) {
  if (invocation && !invocation.ended) {
    invocation.end(orError(error));
    return;
  }
  const tenant = invocation?.tenant ?? currentTenant() ?? tenantInStack(error);
  const { name, message, stack } = (tenant?.names ?? new FileNames()).describeError(error);
  const line = stack || `${name}: ${message}`;
  // Code that an ended invocation left running may fail forever, so its lines still count against the limit.
  if (invocation) invocation.log("error", "error", line);
  else writeLog(tenant, undefined, "error", "error", line);
}

function checkReply(reply) {
  if (byteLength(reply, limits.reply) > limits.reply) {
    throw new RangeError(`the response is larger than ${limits.reply} bytes`);
  }
}

// `throw undefined` is an error too.
function orError(thrown) {
  return thrown ?? new Error(`the component threw ${thrown}`);
}

export function bindToInvocation(callback) {
  const invocation = invocationHere();
  if (!invocation || typeof callback !== "function") return callback;
  return function (...args) {
    if (invocation.tenant.left) return undefined;
    try {
      return callback.apply(this, args);
    } catch (error) {
      uncaught(error, invocation);
    }
  };
}

// One timer for the earliest deadline is enough. Most invocations of a process have the same time limit, so the hot path
// rarely changes it.
function sweepBy(time) {
  if (time >= nextSweep) return;
  nextSweep = time;
  sweepSignal = timeout(Math.max(0, Math.ceil(time - now())));
  sweepSignal.onabort = sweepDeadlines;
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

/** `tenant` is undefined if it is unknown. */
export function writeLog(tenant, id, kind, level, message) {
  const owner = id === undefined ? "" : `"i":"${id}",`;
  send(
    tenant?.number ?? 0,
    `{"t":"log",${owner}"k":"${kind}","l":"${level}","ts":${Date.now()},"m":${stringify(message)}}`,
  );
}
