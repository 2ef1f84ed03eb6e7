import assert from "node:assert/strict";
import pLimit from "p-limit";

export default {
  name: "p-limit",
  version: "0.0.1",
  async run() {
    const limit = pLimit(1);
    assert.deepEqual(await Promise.all([1, 2].map((n) => limit(async () => n * 2))), [2, 4]);
    this.$emit("ok");
  },
};
