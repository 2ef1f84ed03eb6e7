// Runs before a file of tests: what a component finds around it is what it finds on a server.

import { setMaxValue } from "./data_store.mjs";
import { nameModule } from "./errors.mjs";
import { defineStepGlobals } from "./function_step.mjs";
import { clearSurroundings, defineHelpers } from "./globals.mjs";
import { currentInvocation, setLimits } from "./invocation.mjs";
import { captureOutput, captureUncaught } from "./stdio.mjs";
import { setMaxStore } from "./store.mjs";

const limits = JSON.parse(Deno.args[0]);

clearSurroundings();
defineHelpers();
defineStepGlobals();
captureOutput();
// Whatever no component has done is for the test runner to tell.
captureUncaught(() => currentInvocation()?.ended === false);
setLimits(limits);
setMaxValue(limits.value);
setMaxStore(limits.db);
// The source maps of tests call files by these addresses.
nameModule("component", "sluice:///");
