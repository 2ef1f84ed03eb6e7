import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import component from "./schedule.mjs";
import sample from "./test-event.mjs";

test("a tick is emitted with its time and the data", async () => {
  const event = { timestamp: 1736933400, interval_seconds: 3600 };
  const { emits } = await run(component, { event });
  assert.deepEqual(emits[0].event, sample);
  assert.equal(emits[0].ts, 1736933400000);
  const other = await run(component, {
    event: { timestamp: 1736933400, cron: "30 9 * * *" },
    props: { data: { a: "1" } },
  });
  assert.deepEqual(other.emits[0].event.data, { a: "1" });
});

test("a manual run has the current time", async () => {
  const { emits } = await run(component, { event: {} });
  assert.ok(Math.abs(emits[0].event.timestamp - Date.now() / 1000) < 10);
});
