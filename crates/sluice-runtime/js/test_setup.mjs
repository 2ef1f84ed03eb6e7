// Runs before a file of tests and sets up the same globals as on a server.

import { setMaxValue } from "./data_store.mjs";
import { defineStepGlobals } from "./function_step.mjs";
import { clearSurroundings, defineHelpers } from "./globals.mjs";
import { currentInvocation, setLimits } from "./invocation.mjs";
import { captureOutput, captureUncaught } from "./stdio.mjs";
import { addTenant } from "./tenant.mjs";

const [limits, files] = [JSON.parse(Deno.args[0]), Deno.args[1]];

clearSurroundings();
defineHelpers();
defineStepGlobals();
captureOutput();
// Errors outside of components are reported by the test runner.
captureUncaught(() => currentInvocation()?.ended === false);
setLimits(limits);
setMaxValue(limits.value);
const tenant = addTenant(1);
tenant.store.maxBytes = limits.db;
tenant.names.nameFolder(files);
