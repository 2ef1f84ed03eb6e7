const assert = require("node:assert/strict");
const OpenAI = require("openai");

module.exports = {
  name: "openai",
  version: "0.0.1",
  async run(event) {
    const client = new OpenAI({ apiKey: "k", baseURL: event.url, maxRetries: 0 });
    assert.equal((await client.models.retrieve("m")).method, "GET");
    this.$emit("ok");
  },
};
