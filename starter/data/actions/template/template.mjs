import { ConfigurationError } from "../../../common/errors.mjs";
import { parseTemplate, render } from "../../common/mustache.mjs";

export default {
  key: "template",
  name: "Template",
  description:
    "Fills values into a text, with sections and lists. It returns the text.\n\n- `[[ name ]]` is a value, `[[ order.total ]]` a nested one.\n- `[[# items ]] … [[/ items ]]` repeats for each item of a list, or shows its content if the value is not empty. `[[ . ]]` is the item.\n- `[[^ items ]] … [[/ items ]]` shows its content if the value is empty.\n- `[[! note ]]` is left out.\n\nIn a workflow document `{{ … }}` is an expression that is evaluated before this step. Use these delimiters for templates that come from another step.",
  version: "1.0.0",
  type: "action",
  props: {
    template: { type: "string", label: "Template", description: "Such as `Hello [[ name ]]`." },
    values: {
      type: "any",
      label: "Values",
      description: "An object with the values, such as `{{ event.body }}`. Leave empty to use the event.",
      optional: true,
    },
    format: {
      type: "string",
      label: "Format",
      description: "Values in HTML and JSON are escaped. `[[& name ]]` is a value that is not.",
      options: [
        { label: "Text", value: "text" },
        { label: "HTML", value: "html" },
        { label: "JSON", value: "json" },
      ],
      default: "text",
      optional: true,
    },
    delimiters: {
      type: "string",
      label: "Delimiters",
      options: ["[[ ]]", "{{ }}", "<% %>"],
      default: "[[ ]]",
      optional: true,
    },
  },
  async run({ $, steps }) {
    const values = parsed(this.values) ?? steps?.trigger?.event ?? {};
    const nodes = parseTemplate(this.template, (this.delimiters ?? "[[ ]]").split(" "));
    const text = render(nodes, values, this.format ?? "text");
    $.export("$summary", `Rendered ${text.length} characters`);
    return text;
  },
};

function parsed(values) {
  if (typeof values !== "string") return values;
  try {
    return JSON.parse(values);
  } catch {
    throw new ConfigurationError("Values must be an object");
  }
}
