// Runs in Deno: copies one source and one event into the database of a stopped server. The API would take minutes.
//   many.mjs DATABASE SOURCE SOURCES EVENTS
import { DatabaseSync } from 'node:sqlite';

const [file, template, sources, events] = process.argv.slice(2);
/** The tables with rows of one source. */
const EVENTS_EACH = 10_000;

const database = new DatabaseSync(file);
database.exec('PRAGMA busy_timeout = 10000');

function copier(table, row) {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  const insert = database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
  return (changes) => insert.run(...Object.values({ ...row, ...changes }));
}

const source = database.prepare('SELECT * FROM sources WHERE id = ?').get(template);
const version = database.prepare('SELECT * FROM source_versions WHERE source_id = ?').get(template);
const { seq_no: _, ...event } = database.prepare('SELECT * FROM events WHERE emitter_id = ? LIMIT 1').get(template);
const activity = database.prepare('SELECT * FROM activity_counts WHERE emitter_id = ? LIMIT 1').get(template);

database.exec('BEGIN');
const copySource = copier('sources', source);
const copyVersion = copier('source_versions', version);
const copyEvent = copier('events', event);
const copyActivity = copier('activity', activity);
const keepNumber = database.prepare('INSERT INTO kept_rows (emitter_id, events, errors, logs) VALUES (?, ?, 0, 0)');
for (let index = 0; index < Number(sources); index += 1) {
  const number = String(index).padStart(5, '0');
  const id = `dc_Many${number}`;
  copySource({ id, name: `Sensor ${number}`, name_slug: `sensor-${number}`, created_at: source.created_at + index });
  copyVersion({ source_id: id });
  for (let hour = 0; hour < 24; hour += 4) {
    copyActivity({ emitter_id: id, hour: activity.hour - hour, events: index % 50, errors: index % 97 === 0 ? 1 : 0 });
  }
  if (index >= Number(events) / EVENTS_EACH) continue;
  keepNumber.run(id, EVENTS_EACH);
  for (let emitted = 0; emitted < EVENTS_EACH; emitted += 1) {
    copyEvent({ emitter_id: id, ms: event.ms - emitted * 1_000, emit_id: `e${index}x${emitted}` });
  }
}
database.exec('COMMIT');
database.close();
