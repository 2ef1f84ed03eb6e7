// Runs in Deno: writes the counts of the last 31 days to the database of a server, for the charts.
//   past.mjs DATABASE '[["dc_…", WEIGHT], …]'
import { DatabaseSync } from 'node:sqlite';

const [file, weights] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec('PRAGMA busy_timeout = 10000');

const now = Math.floor(Date.now() / 3_600_000);
const [{ id: user }] = database.prepare('SELECT id FROM users ORDER BY created_at LIMIT 1').all();
const COUNTS = 'hour, events, errors, invocations, compute_ms';
const into = (table, id) => database.prepare(`INSERT OR IGNORE INTO ${table} (${id}, ${COUNTS}) VALUES (?, ?, ?, ?, ?, ?)`);
const ofEmitter = into('activity', 'emitter_id');
const ofUser = into('user_activity', 'user_id');

/** High during the day, low at night and on Sundays, with some variation. */
function pace(hour, which) {
  const date = new Date(hour * 3_600_000);
  const day = Math.max(0.06, Math.sin(((date.getUTCHours() - 5) / 17) * Math.PI));
  const week = date.getUTCDay() === 0 ? 0.45 : 1;
  return day * week * (0.75 + 0.5 * Math.abs(Math.sin(hour * 12.9898 + which)));
}

database.exec('BEGIN');
for (let hour = now - 31 * 24; hour < now; hour += 1) {
  let events = 0;
  let errors = 0;
  for (const [id, weight] of JSON.parse(weights)) {
    const count = Math.round(pace(hour, weight) * weight);
    const failed = (hour * 7 + weight) % 61 === 0 ? 1 + (weight % 9) : 0;
    ofEmitter.run(id, hour, count, failed, count + failed, count * 12);
    events += count;
    errors += failed;
  }
  ofUser.run(user, hour, events, errors, events + errors, events * 12);
}
database.exec('COMMIT');
database.close();
