const assert = require("node:assert/strict");
const { ObjectId, BSON } = require("mongodb");

module.exports = {
  name: "mongodb",
  version: "0.0.1",
  async run() {
    assert.deepEqual(BSON.deserialize(BSON.serialize({ a: 1 })), { a: 1 });
    assert.equal(new ObjectId().toString().length, 24);
    this.$emit("ok");
  },
};
