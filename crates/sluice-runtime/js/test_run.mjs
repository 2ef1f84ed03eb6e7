// `sluice/test` for tests: runs a component as a server does and returns its effects.

import { componentOf } from "./function_step.mjs";
import { instanceMaker } from "./instance.mjs";
import { invoke } from "./invocation.mjs";
import { stepTools } from "./step.mjs";
import { soleTenant } from "./tenant.mjs";
import { bindProps } from "./test_props.mjs";
import { Report } from "./test_report.mjs";
import { listen } from "./test_wire.mjs";

const TIMEOUT_MS = 30_000;
let count = 0;

/**
 * Runs `component` once. `props` are the values of its props, `event` is the argument of `run` (for a step it is
 * `steps.trigger.event`), `db` is the content of its key-value store, `steps` are the exports of earlier steps. With `hook`,
 * that hook runs instead.
 *
 * Returns `{emits, logs, response, returned, exports, sends, flow, error, db, stores}`.
 */
export async function run(component, { props = {}, event = {}, db = {}, steps = {}, hook, timeout = TIMEOUT_MS } = {}) {
  const exported = component?.__esModule ? component.default : component;
  const subject = typeof exported === "function" ? componentOf(exported) : exported;
  if (typeof subject !== "object" || subject === null) {
    throw new TypeError("run needs a component: what the module of the component exports by default");
  }
  count += 1;
  const id = `test-${count}`;
  const inWorkflow = isStep(subject);
  const { definition, bindings, stores } = bound(subject, props);
  // All invocations share one store, in which each has its own keys.
  const keyPrefix = `${id}/`;
  const tenant = soleTenant();
  tenant.store.fill(Object.fromEntries(Object.entries(db).map(([key, value]) => [keyPrefix + key, value])));
  const process = Object.freeze({ env: Object.freeze({}) });
  const makeInstance = instanceMaker(definition, bindings, { inWorkflow, keyPrefix, process, secrets: [] });
  const report = new Report({ db: { ...db }, keyPrefix, stores });
  listen(id, (message) => report.take(message));
  invoke({ id, tenant, module: "component", timeoutMs: timeout, alone: false }, async (invocation) => {
    const call = inWorkflow ? callStep : callSource;
    report.told.returned = await call(definition, makeInstance, invocation, { id, event, steps, hook });
  });
  return report.ended;
}

// Invalid props are an error of the test, so the error has its line.
function bound(component, props) {
  try {
    return bindProps(component, props);
  } catch (error) {
    Error.captureStackTrace(error, run);
    throw error;
  }
}

// A component with a name that is not an action is a source. Code without a name is a step of a workflow.
function isStep({ type, name }) {
  return type === "action" || (type === undefined && name === undefined);
}

function callSource(component, makeInstance, invocation, { event, hook }) {
  const self = makeInstance(invocation);
  const method = hook === undefined ? component.run : component.hooks?.[hook];
  if (typeof method !== "function") throw new TypeError(`the component has no ${hook ?? "run"}`);
  return method.call(self, event);
}

async function callStep(component, makeInstance, invocation, { id, event, steps }) {
  const context = { id, ts: new Date().toISOString(), test: true, run: { runs: 1 } };
  const seen = { trigger: { event, context }, ...steps };
  const here = "http://localhost/workflows";
  invocation.tools = stepTools(invocation, {
    context,
    resume_url: `${here}/resume/test`,
    cancel_url: `${here}/cancel/test`,
  });
  const returned = await component.run.call(makeInstance(invocation, seen), { steps: seen, $: invocation.tools });
  if (!invocation.ended) invocation.export("$return_value", returned);
  return returned;
}
