// The harness: runs inside the sandboxed process, loads one component, and runs what the supervisor asks.

import { load, loadFault, shapeOf } from "./component.mjs";
import { instanceMaker } from "./instance.mjs";
import { invoke, setLimits } from "./invocation.mjs";
import { captureOutput, captureUncaught } from "./stdio.mjs";
import { fillStore } from "./store.mjs";
import { flush, receive, send, stringify } from "./wire.mjs";

const exit = Deno.exit;
let component;
let makeInstance;

// The proxy is what HTTP clients look for when they are first used.
const KEPT = /^(?:TMPDIR|https?_proxy|NODE_USE_ENV_PROXY)$/i;
for (const name of Object.keys(Deno.env.toObject())) {
  if (!KEPT.test(name)) Deno.env.delete(name);
}
// Node has none of these, and Deno keeps them where all components would meet.
for (const name of ["localStorage", "sessionStorage", "caches"]) delete globalThis[name];
captureOutput();
captureUncaught();
send('{"t":"ready"}');
flush();

await receive((message, alone) => {
  switch (message.t) {
    case "load":
      start(message);
      break;
    case "run":
      invoke(message.i, message.ms, alone, (invocation) => call(message.c, message.e, invocation));
      break;
    default:
      throw new Error(`the supervisor sent an unknown message: ${message.t}`);
  }
});
exit(0);

async function start({ file, source, props, db, limits }) {
  setLimits(limits);
  if (source) Deno.env.set("PD_COMPONENT", source);
  fillStore(db);
  try {
    component = await load(file);
    makeInstance = instanceMaker(component, props);
    send(`{"t":"loaded","shape":${stringify(shapeOf(component))}}`);
  } catch (error) {
    send(`{"t":"failed","fault":${stringify(loadFault(error))}}`);
  }
  flush();
}

function call(what, event, invocation) {
  const self = makeInstance(invocation);
  if (what !== "run") return component.hooks[what].call(self, event);
  if (typeof component.run === "function") return component.run.call(self, event);
  // A source with a timer and no run is expected to emit the tick itself.
  return self.$emit(event, { summary: "Timer", ts: Date.now() });
}
