const assert = require("node:assert/strict");
const twilio = require("twilio");

module.exports = {
  name: "twilio",
  version: "0.0.1",
  async run() {
    assert.match(
      new twilio.twiml.VoiceResponse().say("hi") && new twilio.twiml.MessagingResponse().toString(),
      /<Response\/>/,
    );
    this.$emit("ok");
  },
};
