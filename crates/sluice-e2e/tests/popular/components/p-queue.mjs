import assert from "node:assert/strict";
import PQueue from "p-queue";

export default {
  name: "p-queue",
  version: "0.0.1",
  async run() {
    const queue = new PQueue({ concurrency: 2 });
    assert.deepEqual(await queue.addAll([async () => 1, async () => 2]), [1, 2]);
    this.$emit("ok");
  },
};
