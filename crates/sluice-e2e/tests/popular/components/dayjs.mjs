import assert from "node:assert/strict";
import dayjs from "dayjs";
import utc from "dayjs/plugin/utc.js";

export default {
  name: "dayjs",
  version: "0.0.1",
  async run() {
    dayjs.extend(utc);
    assert.equal(dayjs.utc(0).format("YYYY-MM-DD"), "1970-01-01");
    this.$emit("ok");
  },
};
