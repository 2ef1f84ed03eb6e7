const assert = require("node:assert/strict");
const bcrypt = require("bcryptjs");

module.exports = {
  name: "bcryptjs",
  version: "0.0.1",
  async run() {
    assert.ok(await bcrypt.compare("a", await bcrypt.hash("a", 4)));
    this.$emit("ok");
  },
};
