const assert = require("node:assert/strict");
const axios = require("axios");
const retry = require("axios-retry").default;

module.exports = {
  name: "axios-retry",
  version: "0.0.1",
  async run(event) {
    const client = axios.create();
    let tries = 0;
    retry(client, {
      retries: 2,
      retryDelay: () => 1,
      retryCondition: () => true,
      onRetry: () => {
        tries += 1;
      },
    });
    await assert.rejects(client.get(`${event.url}/404`));
    assert.equal(tries, 2);
    this.$emit("ok");
  },
};
