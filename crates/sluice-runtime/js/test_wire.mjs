// The pipe of a process that runs tests. There is no supervisor, so the reports of an invocation go to its test.

const { parse, stringify } = JSON;
const encoder = new TextEncoder();
const listeners = new Map();

/** Passes all reports of the invocation `id` to `take`. */
export function listen(id, take) {
  listeners.set(id, take);
}

export function send(_tenant, line) {
  const message = parse(line);
  const take = listeners.get(message.i);
  if (take !== undefined) take(message);
  // Output of the test itself is not part of a report.
  else if (message.t === "log") Deno.stdout.writeSync(encoder.encode(`${message.m}\n`));
}

/** Nothing is buffered. */
export function flush() {}

export { parse, stringify };
