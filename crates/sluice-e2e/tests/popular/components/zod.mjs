import assert from "node:assert/strict";
import { z } from "zod";

export default {
  name: "zod",
  version: "0.0.1",
  async run() {
    assert.deepEqual(z.object({ a: z.coerce.number() }).parse({ a: "1" }), { a: 1 });
    assert.equal(z.string().safeParse(5).success, false);
    this.$emit("ok");
  },
};
