const assert = require("node:assert/strict");
const winston = require("winston");

module.exports = {
  name: "winston",
  version: "0.0.1",
  async run() {
    const lines = [];
    const { Writable } = require("node:stream");
    const stream = new Writable({
      write: (chunk, _, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    winston.createLogger({ transports: [new winston.transports.Stream({ stream })] }).info("hello");
    assert.match(lines[0], /hello/);
    this.$emit("ok");
  },
};
