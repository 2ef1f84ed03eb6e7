// The harness: runs inside the sandboxed process, loads one component, and runs what the supervisor asks.

import { answered, setMostAsks } from "./asks.mjs";
import { importNodeModules, load, loadFault, lookForPackages } from "./component.mjs";
import { setMaxValue } from "./data_store.mjs";
import { authorize, instanceMaker } from "./instance.mjs";
import { invoke, setLimits } from "./invocation.mjs";
import { additionalProps, options } from "./questions.mjs";
import { shapeOf } from "./shape.mjs";
import { captureOutput, captureUncaught } from "./stdio.mjs";
import { fillStore, setMaxStore } from "./store.mjs";
import { flush, receive, send, stringify } from "./wire.mjs";

const exit = Deno.exit;
const questions = { options, additionalProps };
let component;
let bindings;
let makeInstance;
let boundProps;

// The proxy is what HTTP clients look for when they are first used.
const KEPT = /^(?:TMPDIR|STASH_DIR|https?_proxy|NODE_USE_ENV_PROXY)$/i;
for (const name of Object.keys(Deno.env.toObject())) {
  if (!KEPT.test(name)) Deno.env.delete(name);
}
// Node has none of these, and Deno keeps them where all components would meet.
for (const name of ["localStorage", "sessionStorage", "caches"]) delete globalThis[name];
captureOutput();
captureUncaught();
if (Deno.args[0] === "warm") await importNodeModules();
send('{"t":"ready"}');
flush();

await receive((message, alone) => {
  switch (message.t) {
    case "load":
      start(message);
      break;
    case "auth":
      authorize(bindings, message.props);
      break;
    case "prime":
      prime(message);
      break;
    case "run":
      invoke(message.i, message.ms, alone, (invocation) => call(message.c, message.e, invocation));
      break;
    case "answer":
      answered(message);
      break;
    default:
      throw new Error(`the supervisor sent an unknown message: ${message.t}`);
  }
});
exit(0);

/** Imports packages ahead; what goes wrong is told to the component that needs them. */
async function prime({ file, modules }) {
  lookForPackages(file, modules);
  await import(file).catch(() => {});
  send('{"t":"ready"}');
  flush();
}

async function start({ file, modules, source, props, db, limits }) {
  setLimits(limits);
  setMostAsks(limits.asks);
  setMaxValue(limits.value);
  setMaxStore(limits.db);
  if (source) Deno.env.set("PD_COMPONENT", source);
  fillStore(db);
  try {
    component = await load(file, modules);
    bindings = props;
    makeInstance = instanceMaker(component, props);
    boundProps = props.map(({ name }) => name);
    send(`{"t":"loaded","shape":${stringify(shapeOf(component))}}`);
  } catch (error) {
    send(`{"t":"failed","fault":${stringify(loadFault(error))}}`);
  }
  flush();
}

function call(what, event, invocation) {
  const self = makeInstance(invocation);
  if (Object.hasOwn(questions, what)) return answer(questions[what], event, self, invocation);
  if (what !== "run") return component.hooks[what].call(self, event);
  if (typeof component.run === "function") return component.run.call(self, event);
  // A source with a timer and no run is expected to emit the tick itself.
  return self.$emit(event, { summary: "Timer", ts: Date.now() });
}

async function answer(question, argument, self, invocation) {
  invocation.answer(await question({ component, self, names: boundProps }, argument));
}
