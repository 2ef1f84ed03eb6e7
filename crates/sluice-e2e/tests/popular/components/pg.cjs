const assert = require("node:assert/strict");
const { Client } = require("pg");

module.exports = {
  name: "pg",
  version: "0.0.1",
  async run() {
    assert.equal(new Client({ host: "db.example", user: "u" }).user, "u");
    await assert.rejects(new Client({ host: "127.0.0.1", port: 1 }).connect());
    this.$emit("ok");
  },
};
