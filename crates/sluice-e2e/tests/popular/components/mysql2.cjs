const assert = require("node:assert/strict");
const mysql = require("mysql2/promise");

module.exports = {
  name: "mysql2",
  version: "0.0.1",
  async run() {
    assert.equal(mysql.format("SELECT ?", ["a'b"]), "SELECT 'a\\'b'");
    this.$emit("ok");
  },
};
