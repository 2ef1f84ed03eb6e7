// The invocation that code runs for, also after `await` and in callbacks, and the tenant whose modules are being loaded.
//
// `AsyncLocalStorage` is not used, because it loads a part of Node's compatibility layer, and neither is Deno's context of
// traces, because each of its contexts is an entry of a weak map, which takes a tenth of the time of a short invocation. These
// are the functions that both are made of. They keep entries of others in the same object.

const { getAsyncContext, setAsyncContext } = Deno[Deno.internal].core;
const INVOCATION = Symbol("invocation");
const TENANT = Symbol("tenant");

export function runFor(invocation, body) {
  return runIn({ __proto__: null, [INVOCATION]: invocation }, body);
}

export function invocationHere() {
  return getAsyncContext()?.[INVOCATION];
}

export function loadFor(tenant, body) {
  return runIn({ __proto__: null, [TENANT]: tenant }, body);
}

export function loadingTenant() {
  return getAsyncContext()?.[TENANT];
}

function runIn(context, body) {
  const outer = getAsyncContext();
  setAsyncContext(context);
  try {
    return body();
  } finally {
    setAsyncContext(outer);
  }
}
