const assert = require("node:assert/strict");
const { from, map, toArray, lastValueFrom } = require("rxjs");

module.exports = {
  name: "rxjs",
  version: "0.0.1",
  async run() {
    assert.deepEqual(
      await lastValueFrom(
        from([1, 2]).pipe(
          map((n) => n * 2),
          toArray(),
        ),
      ),
      [2, 4],
    );
    this.$emit("ok");
  },
};
