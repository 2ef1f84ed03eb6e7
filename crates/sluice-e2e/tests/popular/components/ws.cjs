const assert = require("node:assert/strict");
const WebSocket = require("ws");

module.exports = {
  name: "ws",
  version: "0.0.1",
  async run() {
    const socket = new WebSocket("ws://127.0.0.1:1");
    await assert.rejects(new Promise((open, fail) => socket.on("open", open).on("error", fail)));
    this.$emit("ok");
  },
};
