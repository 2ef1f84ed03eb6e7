// The channel to the supervisor: two pipes, with a line of JSON per message. A line to the supervisor begins with a key that
// only the harness knows, and the number of a tenant.
//
// Component code shares the globals and prototypes of the harness and can replace them. So that it never sees the key, the
// functions that handle lines are taken here, before any component is loaded.
//
// Output is buffered and written once per turn, because one write per message costs more than the work it reports.

const [input, output] = Deno.args;
const { parse, stringify } = JSON;
const { apply } = Reflect;
const exit = Deno.exit;
const queue = queueMicrotask;
const encode = bound(new TextEncoder(), "encode");
const decode = bound(new TextDecoder(), "decode");
const incoming = Deno.openSync(input);
const read = bound(incoming, "read");
const write = bound(Deno.openSync(output, { write: true }), "writeSync");
const { subarray } = Uint8Array.prototype;
const { indexOf, slice, startsWith } = String.prototype;
const KEY_LENGTH = 32;
const CHUNK = 256 * 1024;

const key = firstLine();

let pending = "";
let flushScheduled = false;
let batching = false;

function bound(object, method) {
  return object[method].bind(object);
}

function firstLine() {
  const bytes = new Uint8Array(KEY_LENGTH + 1);
  incoming.readSync(bytes);
  return decode(apply(subarray, bytes, [0, KEY_LENGTH]));
}

/** Queues one serialised message of the tenant with this number. Messages of the process itself have number 0. */
export function send(tenant, line) {
  pending += `${key}${tenant}${line}\n`;
  if (!batching && !flushScheduled) {
    flushScheduled = true;
    queue(flush);
  }
}

/** Writes the buffer synchronously, before code that may block forever. */
export function flush() {
  flushScheduled = false;
  if (pending === "") return;
  const bytes = encode(pending);
  pending = "";
  try {
    for (let written = 0; written < bytes.length; ) {
      written += write(apply(subarray, bytes, [written]));
    }
  } catch {
    // The supervisor has exited.
    exit(1);
  }
}

/**
 * Passes every incoming message to `handle(message, alone)`. `alone` is true if no other message came with
 * it, except messages that it depends on. A lone message reports at once, a batch reports together.
 */
export async function receive(handle) {
  const buffer = new Uint8Array(CHUNK);
  let rest = "";
  for (;;) {
    const length = await read(buffer);
    if (length === null) return;
    const text = decode(apply(subarray, buffer, [0, length]), { stream: true });
    rest += text;
    if (apply(indexOf, text, ["\n"]) === -1) continue;
    batching = true;
    rest = handleLines(rest, handle);
    // Most invocations end within a few microtasks. Waiting for them lets their reports leave together.
    for (let hop = 0; hop < 6; hop++) await null;
    batching = false;
    flush();
  }
}

// Returns the text after the last line.
function handleLines(text, handle) {
  let onlyAuth = true;
  let end = apply(indexOf, text, ["\n"]);
  let start = 0;
  while (end !== -1) {
    const line = apply(slice, text, [start, end]);
    start = end + 1;
    end = apply(indexOf, text, ["\n", start]);
    handle(parse(line), onlyAuth && end === -1);
    onlyAuth &&= apply(startsWith, line, ['{"t":"auth"']);
  }
  return apply(slice, text, [start]);
}

export { parse, stringify };
