const assert = require("node:assert/strict");
const retry = require("async-retry");

module.exports = {
  name: "async-retry",
  version: "0.0.1",
  async run() {
    assert.equal(
      await retry((_, attempt) => (attempt < 2 ? Promise.reject(new Error("again")) : attempt), { minTimeout: 1 }),
      2,
    );
    this.$emit("ok");
  },
};
