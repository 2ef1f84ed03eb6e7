import { ConfigurationError } from "../../../common/errors.mjs";
import { parsePath, valueAt } from "../../../common/json_path.mjs";

export default {
  key: "transform",
  name: "Transform",
  description:
    "Makes a new value: by a JavaScript expression, or by a mapping from names to paths in the input. It returns the value.",
  version: "1.0.0",
  type: "action",
  props: {
    input: {
      type: "any",
      label: "Input",
      description: "The value to transform, such as `{{ event.body }}`. Leave empty to use the event.",
      optional: true,
    },
    mapping: {
      type: "object",
      label: "Mapping",
      description: 'Paths in the input by the names of the result, such as `{"email": "customer.email"}`.',
      optional: true,
    },
    expression: {
      type: "string",
      label: "Expression",
      description:
        "JavaScript over `input`, `event` and `steps`, such as `input.items.filter((item) => item.paid)`. It may use `await`.",
      optional: true,
    },
  },
  async run({ $, steps }) {
    const { mapping, expression } = this;
    if (Boolean(mapping) === Boolean(expression)) throw new ConfigurationError("Set either Mapping or Expression");
    const event = steps?.trigger?.event;
    const input = parsed(this.input) ?? event;
    const result = mapping ? mapped(input, mapping) : await evaluated(expression, { input, event, steps });
    $.export("$summary", mapping ? `Mapped ${Object.keys(mapping).length} fields` : "Evaluated the expression");
    return result;
  },
};

function mapped(input, mapping) {
  const rows = Object.entries(mapping).map(([name, path]) => [name, valueAt(input, parsePath(path, name)) ?? null]);
  return Object.fromEntries(rows);
}

// The code is of the user who runs it, in the sandbox of the workflow.
async function evaluated(expression, { input, event, steps }) {
  let evaluate;
  try {
    evaluate = new Function("input", "event", "steps", `"use strict"; return (async () => (${expression}\n))();`);
  } catch (error) {
    throw new ConfigurationError(`The expression is not valid JavaScript: ${error.message}`);
  }
  return evaluate(input, event, steps);
}

function parsed(value) {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
