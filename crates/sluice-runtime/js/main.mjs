// The harness. It runs in the sandboxed process, loads modules and runs invocations for the supervisor.

import { answered, setMostAsks } from "./asks.mjs";
import { importNodeModules, lookForPackages } from "./component.mjs";
import { loadFor } from "./context.mjs";
import { setMaxValue } from "./data_store.mjs";
import { defineStepGlobals } from "./function_step.mjs";
import { clearSurroundings, defineHelpers } from "./globals.mjs";
import { secretTexts } from "./inputs.mjs";
import { invoke, setLimits } from "./invocation.mjs";
import { authorizeModule, loadModules, moduleNamed, soleModule } from "./modules.mjs";
import { additionalProps, options } from "./questions.mjs";
import { captureOutput, captureUncaught } from "./stdio.mjs";
import { stepTools } from "./step.mjs";
import { survey } from "./survey.mjs";
import { addTenant, removeTenant, tenantOf } from "./tenant.mjs";
import { flush, receive, send, stringify } from "./wire.mjs";

const exit = Deno.exit;
const questions = { options, additionalProps };

clearSurroundings();
defineHelpers();
captureOutput();
captureUncaught();
if (Deno.args[2] === "warm") await importNodeModules();
send(0, '{"t":"ready"}');
flush();

await receive((message, alone) => {
  switch (message.t) {
    case "load":
      start(message);
      break;
    case "auth":
      authorizeModule(tenantOf(message.tenant), message.module, message.props);
      break;
    case "prime":
      prime(message);
      break;
    case "survey":
      survey(message.module);
      break;
    case "run":
      run(message, alone);
      break;
    case "answer":
      answered(message);
      break;
    case "leave":
      removeTenant(message.tenant);
      break;
    case "ping":
      send(0, '{"t":"pong"}');
      break;
    default:
      throw new Error(`the supervisor sent an unknown message: ${message.t}`);
  }
});
exit(0);

/** Imports packages ahead. Errors are reported by the component that needs them. */
async function prime({ folder, file, modules }) {
  lookForPackages(folder, modules);
  await import(file).catch(() => {});
  send(0, '{"t":"ready"}');
  flush();
}

async function start({ tenant: number, modules, steps, source, workflow, env, secret_env, db, limits }) {
  const tenant = addTenant(number);
  setLimits(limits);
  setMostAsks(limits.asks);
  setMaxValue(limits.value);
  tenant.store.maxBytes = limits.db;
  if (source) Deno.env.set("PD_COMPONENT", source);
  if (workflow) Deno.env.set("PIPEDREAM_WORKFLOW_ID", workflow);
  if (steps) defineStepGlobals();
  tenant.store.fill(db);
  try {
    const process = Object.freeze({ env: Object.freeze(env) });
    const options = { steps, inWorkflow: workflow !== null, process, secrets: secretTexts(secret_env, env) };
    const shapes = await loadFor(tenant, () => loadModules(tenant, modules, options));
    send(number, `{"t":"loaded","shapes":${stringify(shapes)}}`);
  } catch ({ error }) {
    removeTenant(number);
    send(number, `{"t":"failed","error":${stringify(error)}}`);
  }
  flush();
}

function run({ i: id, s: number, c: what, ms: timeoutMs, e: event }, alone) {
  const tenant = tenantOf(number);
  if (what === "step") {
    invoke({ id, tenant, module: event.step, timeoutMs, alone }, (invocation) => runStep(event, invocation));
  } else {
    const module = soleModule(tenant);
    invoke({ id, tenant, module: module.name, timeoutMs, alone }, (invocation) =>
      call(module, what, event, invocation),
    );
  }
}

async function runStep(input, invocation) {
  const { step, steps } = input;
  const { component, makeInstance } = moduleNamed(invocation.tenant, step);
  invocation.tools = stepTools(invocation, input);
  const returned = await component.run.call(makeInstance(invocation, steps), { steps, $: invocation.tools });
  if (!invocation.ended) invocation.export("$return_value", returned);
}

function call({ component, makeInstance, props }, what, event, invocation) {
  const self = makeInstance(invocation);
  if (Object.hasOwn(questions, what)) {
    const asked = { component, self, names: props.map(({ name }) => name) };
    return answer(questions[what], event, asked, invocation);
  }
  if (what !== "run") return component.hooks[what].call(self, event);
  if (typeof component.run === "function") return component.run.call(self, event);
  // A source with a timer and without `run` emits the tick.
  return self.$emit(event, { summary: "Timer", ts: Date.now() });
}

async function answer(question, argument, asked, invocation) {
  invocation.answer(await question(asked, argument));
}
