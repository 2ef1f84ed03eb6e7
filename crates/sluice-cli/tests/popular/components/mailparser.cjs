const assert = require("node:assert/strict");
const { simpleParser } = require("mailparser");

module.exports = {
  name: "mailparser",
  version: "0.0.1",
  async run() {
    assert.equal((await simpleParser("Subject: S\r\n\r\nT")).subject, "S");
    this.$emit("ok");
  },
};
