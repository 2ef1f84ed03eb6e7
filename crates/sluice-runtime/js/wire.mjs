// The pipe to the supervisor: newline-delimited JSON, in on standard input, out on standard output.
// Output is buffered and written once per turn, because one write per message costs more than the work it reports.

const encoder = new TextEncoder();
const stdout = Deno.stdout;
const stdin = Deno.stdin;
const exit = Deno.exit;
const { parse, stringify } = JSON;

let pending = "";
let flushScheduled = false;
let batching = false;

/** Queues one serialised message. */
export function send(line) {
  pending += `${line}\n`;
  if (!batching && !flushScheduled) {
    flushScheduled = true;
    queueMicrotask(flush);
  }
}

/** Writes the buffer synchronously, before code that may block forever. */
export function flush() {
  flushScheduled = false;
  if (pending === "") return;
  const bytes = encoder.encode(pending);
  pending = "";
  try {
    for (let written = 0; written < bytes.length; ) {
      written += stdout.writeSync(bytes.subarray(written));
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
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(256 * 1024);
  let parts = [];
  for (;;) {
    const read = await stdin.read(buffer);
    if (read === null) return;
    const text = decoder.decode(buffer.subarray(0, read), { stream: true });
    const end = text.lastIndexOf("\n");
    if (end === -1) {
      parts.push(text);
      continue;
    }
    parts.push(text.slice(0, end));
    const lines = parts.join("").split("\n");
    parts = [text.slice(end + 1)];
    batching = true;
    const alone = lines.slice(0, -1).every((line) => line.startsWith('{"t":"auth"'));
    for (const line of lines) handle(parse(line), alone);
    // Most invocations end within a few microtasks. Waiting for them lets their reports leave together.
    for (let hop = 0; hop < 6; hop++) await null;
    batching = false;
    flush();
  }
}

export { parse, stringify };
