import assert from "node:assert/strict";
import got from "got";

export default {
  name: "got",
  version: "0.0.1",
  async run(event) {
    const body = await got.post(event.url, { json: { a: 1 } }).json();
    assert.deepEqual(body.body, { a: 1 });
    this.$emit("ok");
  },
};
