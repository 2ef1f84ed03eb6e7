// The alert rules have unit tests, which promtool runs, and are on the page about monitoring.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const read = (file) => readFileSync(join(ROOT, file), "utf8");
const YAML = createRequire(join(ROOT, "ui/package.json"))("yaml");

const rules = YAML.parse(read("packaging/monitoring/alerts.yml")).groups.flatMap(({ rules }) => rules);
const checks = YAML.parse(read("packaging/monitoring/alerts.test.yml")).tests.flatMap((it) => it.alert_rule_test);
const page = read("docs/operate/monitoring.md");

test("each rule has a unit test in which it fires, and one in which it does not", () => {
  const fires = new Set(checks.filter((it) => it.exp_alerts?.length > 0).map((it) => it.alertname));
  const isSilent = new Set(checks.filter((it) => !it.exp_alerts?.length).map((it) => it.alertname));
  const missing = rules.filter(({ alert }) => !fires.has(alert) || !isSilent.has(alert));
  assert.deepEqual(
    missing.map(({ alert }) => alert),
    [],
  );
});

for (const severity of ["page", "ticket"]) {
  test(`the page lists the rules with severity ${severity}`, () => {
    const [, table] = new RegExp(`^\\| ${severity} \\| \\|\\n((?:\\|.*\\n)*)`, "m").exec(page);
    const listed = [...table.matchAll(/`(Sluice\w+)`/g)].map(([, name]) => name);
    const known = rules.filter(({ labels }) => labels.severity === severity).map(({ alert }) => alert);
    assert.deepEqual(listed.sort(), known.sort());
  });
}
