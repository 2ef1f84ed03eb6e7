// The compose file: its form, the image that it uses, and how it passes the password.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const read = (file) => readFileSync(join(ROOT, file), "utf8");
const YAML = createRequire(join(ROOT, "ui/package.json"))("yaml");

const compose = YAML.parse(read("packaging/docker/compose.yaml"), { strict: true });
const { sluice, postgres } = compose.services;
/** The value of `SLUICE_DATABASE_URL` with this password, as Compose substitutes it. */
const withPassword = (password) =>
  sluice.environment.SLUICE_DATABASE_URL.replace(/\$\{POSTGRES_PASSWORD:\?[^}]*\}/, () => password);

test("the image is the one that the documentation builds, and is never pulled", () => {
  assert.equal(sluice.pull_policy, "never");
  const page = read("docs/guide/installation.md");
  assert.ok(page.includes(`docker build -f packaging/docker/Dockerfile -t ${sluice.image} target/dist-packages`));
});

test("settings are those of the server and of the image", () => {
  const flags = read("docs/cli/serve.md");
  for (const name of Object.keys(sluice.environment)) assert.ok(flags.includes(`\`${name}\``), name);
  const dockerfile = read("packaging/docker/Dockerfile");
  const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile);
  assert.deepEqual(sluice.ports, [`127.0.0.1:${port}:${port}`]);
  const [, home] = /^VOLUME (\S+)$/m.exec(dockerfile);
  assert.deepEqual(sluice.volumes, [`sluice:${home}`]);
});

test("a password with the special characters of URLs reaches the server and the database unchanged", () => {
  const password = 'a@b/c:d?e#f%41 g&h=i"$[]';
  assert.equal(withPassword(password), `host=postgres user=sluice dbname=sluice password='${password}'`);
  assert.match(postgres.environment.POSTGRES_PASSWORD, /^\$\{POSTGRES_PASSWORD:\?[^}]*\}$/);
  assert.equal(postgres.environment.POSTGRES_USER, "sluice");
});

test("volumes and services that are used are declared", () => {
  for (const { volumes = [] } of Object.values(compose.services)) {
    for (const volume of volumes) assert.ok(volume.split(":")[0] in compose.volumes, volume);
  }
  for (const name of Object.keys(sluice.depends_on)) assert.ok(compose.services[name]?.healthcheck, name);
});
