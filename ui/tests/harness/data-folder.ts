// The folder for the data of all servers. It is removed after the last test: a worker ends too quickly to do so.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default async function setup() {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-consoles-'));
  process.env.SLUICE_TEST_DATA = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
