import assert from "node:assert/strict";
import { Octokit } from "@octokit/rest";

export default {
  name: "octokit",
  version: "0.0.1",
  async run(event) {
    const octokit = new Octokit({ baseUrl: event.url });
    assert.equal((await octokit.request("GET /anything")).data.method, "GET");
    this.$emit("ok");
  },
};
