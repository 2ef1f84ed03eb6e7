import assert from "node:assert/strict";
import { WebClient } from "@slack/web-api";

export default {
  name: "slack-web-api",
  version: "0.0.1",
  async run(event) {
    const client = new WebClient("token", { slackApiUrl: `${event.url}/`, retryConfig: { retries: 0 } });
    assert.equal((await client.apiCall("auth.test")).headers.authorization, "Bearer token");
    this.$emit("ok");
  },
};
