const assert = require("node:assert/strict");
const nodemailer = require("nodemailer");

module.exports = {
  name: "nodemailer",
  version: "0.0.1",
  async run() {
    const { message } = await nodemailer
      .createTransport({ streamTransport: true, buffer: true })
      .sendMail({ from: "a@example.com", to: "b@example.com", subject: "S", text: "T" });
    assert.match(message.toString(), /Subject: S/);
    this.$emit("ok");
  },
};
