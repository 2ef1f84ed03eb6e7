import { ConfigurationError } from "@pipedream/platform";
import { defineAction } from "@pipedream/types";
import crane from "../../app/crane.app";
import { summaryOf, Unit } from "../../common/summary";

export default defineAction({
  key: "crane-lift-order",
  name: "Lift Order",
  version: "0.0.1",
  type: "action",
  props: {
    crane,
    customerId: {
      propDefinition: [crane, "customerId"],
    },
    height: {
      type: "integer",
      label: "Height",
      min: 1,
      max: 90,
    },
  },
  async run({ $ }): Promise<object> {
    if (this.height > 90) throw new ConfigurationError("too high");
    $.export("$summary", summaryOf({ id: this.height as number }, Unit.Order));
    return { lifted: true };
  },
});
