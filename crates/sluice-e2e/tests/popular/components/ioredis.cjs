const assert = require("node:assert/strict");
const Redis = require("ioredis");

module.exports = {
  name: "ioredis",
  version: "0.0.1",
  async run() {
    const redis = new Redis({ lazyConnect: true, host: "127.0.0.1", port: 1, retryStrategy: null });
    redis.on("error", () => {});
    await assert.rejects(redis.connect());
    this.$emit("ok");
  },
};
