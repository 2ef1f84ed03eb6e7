const assert = require("node:assert/strict");
const moment = require("moment");

module.exports = {
  name: "moment",
  version: "0.0.1",
  async run() {
    assert.equal(moment.utc(0).add(1, "month").format("YYYY-MM-DD"), "1970-02-01");
    this.$emit("ok");
  },
};
