import assert from "node:assert/strict";
import fetch from "node-fetch";

export default {
  name: "node-fetch",
  version: "0.0.1",
  async run(event) {
    const body = await (
      await fetch(event.url, { method: "POST", body: "{}", headers: { "content-type": "application/json" } })
    ).json();
    assert.equal(body.method, "POST");
    this.$emit("ok");
  },
};
