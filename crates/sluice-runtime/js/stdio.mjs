// Output of a component becomes a log line of the invocation that printed it.

import { bindToInvocation, currentInvocation, currentTenant, uncaught, writeLog } from "./invocation.mjs";
import { nodeModule, prepareProcess, wrapGlobal } from "./node.mjs";

const LEVELS = { debug: "debug", warn: "warn", error: "error", assert: "error", trace: "error" };

export function captureOutput() {
  captureConsole();
  prepareProcess((process) => {
    Object.defineProperty(process, "stdout", { configurable: true, get: lazily(() => logStream("stdout", "info")) });
    Object.defineProperty(process, "stderr", { configurable: true, get: lazily(() => logStream("stderr", "error")) });
  });
}

/** `isOurs` decides whether an uncaught error is handled here. */
export function captureUncaught(isOurs = () => true) {
  globalThis.addEventListener("error", (event) => {
    if (!isOurs()) return;
    event.preventDefault();
    uncaught(event.error);
  });
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (!isOurs()) return;
    event.preventDefault();
    uncaught(event.reason);
  });
  // A timer's callback that throws has lost the context in which it was created.
  for (const name of ["setTimeout", "setInterval", "setImmediate"]) {
    wrapGlobal(name, (original) =>
      Object.assign((callback, ...rest) => original(bindToInvocation(callback), ...rest), original),
    );
  }
}

// Node's Console does the formatting (groups, tables, counters). It is loaded at its first use, because
// loading takes milliseconds and most sources never need it.
function captureConsole() {
  let level = "info";
  const sink = {
    write(text) {
      print("log", level, text.endsWith("\n") ? text.slice(0, -1) : text);
      return true;
    },
    on() {},
    once() {},
    removeListener() {},
    listenerCount: () => 0,
  };
  const formatter = lazily(() => {
    const { Console } = nodeModule("console");
    // Code that logs too much gets the error, because a loop would never end otherwise.
    return new Console({ stdout: sink, stderr: sink, ignoreErrors: false });
  });
  for (const method of Object.keys(console)) {
    if (typeof console[method] !== "function") continue;
    console[method] = (...args) => {
      level = LEVELS[method] ?? "info";
      const target = formatter();
      return typeof target[method] === "function" ? target[method](...args) : undefined;
    };
  }
}

function logStream(kind, level) {
  const { Writable } = nodeModule("stream");
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      const text = String(chunk);
      print(kind, level, text.endsWith("\n") ? text.slice(0, -1) : text);
      done();
    },
  });
  return Object.assign(stream, { fd: kind === "stdout" ? 1 : 2, isTTY: false });
}

function print(kind, level, text) {
  const invocation = currentInvocation();
  const tenant = invocation?.tenant ?? currentTenant();
  const message = (tenant?.names.ownLines(text) ?? text).toWellFormed();
  if (invocation) invocation.log(kind, level, message);
  else writeLog(tenant, undefined, kind, level, message);
}

function lazily(make) {
  let value;
  return () => (value ??= make());
}
