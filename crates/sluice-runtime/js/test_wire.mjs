// The pipe of a process that runs tests: no supervisor is there, so what an invocation reports goes to the test that runs it.

const { parse, stringify } = JSON;
const encoder = new TextEncoder();
const listeners = new Map();

/** Hands all that the invocation `id` reports to `take`. */
export function listen(id, take) {
  listeners.set(id, take);
}

export function send(line) {
  const message = parse(line);
  const take = listeners.get(message.i);
  if (take !== undefined) take(message);
  // What the test itself prints belongs to nobody else.
  else if (message.t === "log") Deno.stdout.writeSync(encoder.encode(`${message.m}\n`));
}

/** Nothing ever waits. */
export function flush() {}

export { parse, stringify };
