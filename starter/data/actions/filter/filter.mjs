import { ConfigurationError } from "../../../common/errors.mjs";
import { described, holds, OPERATOR_OPTIONS } from "../../common/conditions.mjs";

export default {
  key: "filter",
  name: "Filter",
  description: "Continues the workflow if a condition holds, and ends the run otherwise.",
  version: "1.0.0",
  type: "action",
  props: {
    value: {
      type: "any",
      label: "Value",
      description: "The value to test, such as `{{ event.body.total }}`.",
      optional: true,
    },
    operator: { type: "string", label: "Operator", options: OPERATOR_OPTIONS, default: "is-not-empty", optional: true },
    other: {
      type: "any",
      label: "Compare with",
      description: "Numbers and times are compared as such.",
      optional: true,
    },
    conditions: {
      type: "any",
      label: "Further conditions",
      description: 'A list such as `[{"value": "{{ event.body.paid }}", "operator": "is-true"}]`.',
      optional: true,
    },
    match: {
      type: "string",
      label: "Match",
      options: [
        { label: "All conditions", value: "all" },
        { label: "Any condition", value: "any" },
      ],
      default: "all",
      optional: true,
    },
    reason: { type: "string", label: "Reason", description: "Shown for a run that ends here.", optional: true },
  },
  async run({ $ }) {
    const conditions = this.allConditions();
    const results = conditions.map((condition) => holds(condition));
    const passed = this.match === "any" ? results.includes(true) : !results.includes(false);
    if (passed) {
      $.export("$summary", "Continued");
      return true;
    }
    const failed = conditions[results.indexOf(false)];
    return $.flow.exit(this.reason || `the condition does not hold: ${described(failed)}`);
  },
  methods: {
    allConditions() {
      const further = typeof this.conditions === "string" ? parsed(this.conditions) : (this.conditions ?? []);
      if (!Array.isArray(further)) throw new ConfigurationError("Further conditions must be a list");
      const { value, operator = "is-not-empty", other } = this;
      // Without a value and another one to compare with, only the list counts.
      const isGiven = value !== undefined || other !== undefined || further.length === 0;
      return isGiven ? [{ value, operator, other }, ...further] : further;
    },
  },
};

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
