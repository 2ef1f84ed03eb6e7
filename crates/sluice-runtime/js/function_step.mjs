// The older form of a step: a function of `(event, steps, params, auths)`, which exports by `return` and by `this.x`, and
// has `$respond`, `$end` and `$send` in scope.

import { defineGlobal } from "./globals.mjs";
import { currentInvocation, RunEnded } from "./invocation.mjs";
import { isObject } from "./shape.mjs";

const DESTINATIONS = ["http", "email", "s3", "emit", "sse"];
const arrows = new WeakSet();

/** A component that runs `exported`. */
export function componentOf(exported) {
  return {
    run({ steps }) {
      const exports = {};
      currentInvocation().exportAtEnd(exports);
      const step = arrows.has(exported) ? exported.call(exports) : exported;
      return step.call(exports, steps?.trigger?.event, steps, ...paramsAndAuths(this));
    },
  };
}

// Props with credentials are apps.
function paramsAndAuths(self) {
  const [params, auths] = [{}, {}];
  for (const [name, value] of Object.entries(self)) {
    if (isObject(value) && Object.hasOwn(value, "$auth")) auths[name] = value.$auth;
    else params[name] = value;
  }
  return [params, auths];
}

export function defineStepGlobals() {
  // Wraps arrow functions, which have no `this` of their own. Calling `make` creates one with the given `this`.
  defineGlobal("$arrowStep", (make) => {
    arrows.add(make);
    return make;
  });
  defineGlobal("$respond", (reply) => tools("$respond").respond(reply));
  defineGlobal("$end", (reason) => {
    tools("$end").flow.exit(reason);
    throw new RunEnded();
  });
  const send = DESTINATIONS.map((name) => [name, (...args) => tools(`$send.${name}`).send[name](...args)]);
  defineGlobal("$send", Object.fromEntries(send));
}

function tools(what) {
  const found = currentInvocation()?.tools;
  if (found === undefined) throw new Error(`${what} was called while no step runs`);
  return found;
}
