// The invocation that code runs for, also after `await` and in callbacks, and the tenant whose modules are being loaded.
//
// Deno's context of traces is used, and not `AsyncLocalStorage`, because that loads a part of Node's compatibility layer.

const { apply } = Reflect;
const { active, with: runIn } = Deno.telemetry.contextManager;
const root = active();
const { getValue, setValue } = Object.getPrototypeOf(root);
const INVOCATION = Symbol("invocation");
const TENANT = Symbol("tenant");

export function runFor(invocation, body) {
  runIn(apply(setValue, root, [INVOCATION, invocation]), body);
}

export function invocationHere() {
  return apply(getValue, active(), [INVOCATION]);
}

export function loadFor(tenant, body) {
  return runIn(apply(setValue, root, [TENANT, tenant]), body);
}

export function loadingTenant() {
  return apply(getValue, active(), [TENANT]);
}
