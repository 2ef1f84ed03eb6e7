import assert from "node:assert/strict";
import { addDays, formatISO } from "date-fns";

export default {
  name: "date-fns",
  version: "0.0.1",
  async run() {
    assert.match(formatISO(addDays(new Date(Date.UTC(2024, 1, 28)), 1)), /^2024-02-29/);
    this.$emit("ok");
  },
};
