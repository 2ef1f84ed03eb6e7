// The older form of a step: a function of `(event, steps, params, auths)`, which exports by `return` and by `this.x`, and
// finds `$respond`, `$end` and `$send` around it.

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

// Apps are those with credentials.
function paramsAndAuths(self) {
  const [params, auths] = [{}, {}];
  for (const [name, value] of Object.entries(self)) {
    if (isObject(value) && Object.hasOwn(value, "$auth")) auths[name] = value.$auth;
    else params[name] = value;
  }
  return [params, auths];
}

export function defineStepGlobals() {
  // Around arrow functions, whose `this` is that of what surrounds them: calling `make` gives a new one.
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
