const assert = require("node:assert/strict");
const tmp = require("tmp");
const fs = require("node:fs");

module.exports = {
  name: "tmp",
  version: "0.0.1",
  async run() {
    const file = tmp.fileSync();
    fs.writeFileSync(file.name, "x");
    assert.equal(fs.readFileSync(file.name, "utf8"), "x");
    file.removeCallback();
    this.$emit("ok");
  },
};
