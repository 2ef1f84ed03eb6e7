import assert from "node:assert/strict";
import { DateTime } from "luxon";

export default {
  name: "luxon",
  version: "0.0.1",
  async run() {
    assert.equal(DateTime.fromISO("2024-01-01T00:00", { zone: "America/New_York" }).toUTC().hour, 5);
    this.$emit("ok");
  },
};
