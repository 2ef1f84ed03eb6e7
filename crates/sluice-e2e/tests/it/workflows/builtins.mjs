// A document with the built-in steps of the console. Standard input has the values of their props, by id, as JSON; the others have
// those that the console begins with. Deno runs it.

import process from "node:process";
import { text } from "node:stream/consumers";
import { BUILTINS, builtinItem } from "../../../../../ui/src/pages/workflow/outline/builtins.ts";

const given = JSON.parse(await text(process.stdin));

function item(builtin) {
  const props = Object.entries({ ...given[builtin.id] }).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return builtinItem(props.length === 0 ? builtin : { ...builtin, props: props.join("\n") }, builtin.id);
}

process.stdout.write(`name: Builtins\nsteps:\n${BUILTINS.map(item).join("")}`);
