import assert from "node:assert/strict";
import { request } from "undici";

export default {
  name: "undici",
  version: "0.0.1",
  async run(event) {
    const { statusCode, body } = await request(event.url);
    assert.equal(statusCode, 200);
    assert.equal((await body.json()).method, "GET");
    this.$emit("ok");
  },
};
