import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import component from "./send-mail.mjs";

test("without an SMTP server the mail goes to the owner", async () => {
  const { sends, returned, error } = await run(component, { props: { subject: "Hi", text: "Hello" } });
  assert.equal(error, undefined);
  assert.deepEqual(returned, { queued: true });
  assert.equal(sends.length, 1);
  assert.ok(JSON.stringify(sends).includes('"subject":"Hi"'));
});

test("errors name the prop", async () => {
  const mail = { subject: "Hi", text: "Hello" };
  for (const [props, expected] of [
    [{ subject: "Hi" }, /Set Text or HTML/],
    [{ ...mail, to: ["a@example.com"] }, /Set SMTP server/],
    [{ ...mail, host: "smtp.example.com" }, /To needs at least one address/],
    [{ ...mail, host: "smtp.example.com", to: ["a@example.com"] }, /From is required/],
  ]) {
    const { error } = await run(component, { props });
    assert.equal(error.name, "ConfigurationError");
    assert.match(error.message, expected);
  }
});
