const assert = require("node:assert/strict");
const { io } = require("socket.io-client");

module.exports = {
  name: "socket-io-client",
  version: "0.0.1",
  async run() {
    const socket = io("http://127.0.0.1:1", { reconnection: false });
    await assert.rejects(new Promise((open, fail) => socket.on("connect", open).on("connect_error", fail)));
    this.$emit("ok");
  },
};
