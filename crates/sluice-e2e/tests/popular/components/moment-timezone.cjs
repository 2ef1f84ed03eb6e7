const assert = require("node:assert/strict");
const moment = require("moment-timezone");

module.exports = {
  name: "moment-timezone",
  version: "0.0.1",
  async run() {
    assert.equal(moment.tz(0, "Asia/Tokyo").format("HH:mm z"), "09:00 JST");
    this.$emit("ok");
  },
};
