const assert = require("node:assert/strict");
const Bottleneck = require("bottleneck");

module.exports = {
  name: "bottleneck",
  version: "0.0.1",
  async run() {
    const limiter = new Bottleneck({ maxConcurrent: 1, minTime: 1 });
    assert.equal(await limiter.schedule(async () => 5), 5);
    this.$emit("ok");
  },
};
