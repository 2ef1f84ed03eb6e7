import assert from "node:assert/strict";
import ky from "ky";

export default {
  name: "ky",
  version: "0.0.1",
  async run(event) {
    assert.equal((await ky.get(event.url).json()).method, "GET");
    this.$emit("ok");
  },
};
