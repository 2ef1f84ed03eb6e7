-- What happened in each hour, in UTC; hours count from the epoch. One row for each source or workflow, and one for the whole account,
-- so that its chart reads as many rows as it has points, however many sources there are.
CREATE TABLE activity (
    emitter_id  TEXT NOT NULL,
    hour        INTEGER NOT NULL,
    events      INTEGER NOT NULL,
    errors      INTEGER NOT NULL,
    invocations INTEGER NOT NULL,
    compute_ms  INTEGER NOT NULL,
    PRIMARY KEY (emitter_id, hour)
) WITHOUT ROWID;
CREATE INDEX activity_with_errors ON activity (emitter_id, hour, errors) WHERE errors > 0;
CREATE INDEX activity_by_hour ON activity (hour);

CREATE TABLE user_activity (
    user_id     TEXT NOT NULL,
    hour        INTEGER NOT NULL,
    events      INTEGER NOT NULL,
    errors      INTEGER NOT NULL,
    invocations INTEGER NOT NULL,
    compute_ms  INTEGER NOT NULL,
    PRIMARY KEY (user_id, hour)
) WITHOUT ROWID;
CREATE INDEX user_activity_by_hour ON user_activity (hour);

-- When it last emitted something; the last event id is also that of an error.
ALTER TABLE emitter_state ADD COLUMN last_emit_at INTEGER;
UPDATE emitter_state SET last_emit_at = (SELECT e.ms FROM events e WHERE e.emitter_id = emitter_state.emitter_id
    AND substr(e.channel, 1, 1) <> '$' ORDER BY e.ms DESC, e.seq DESC LIMIT 1);

CREATE INDEX deliveries_failed ON deliveries (webhook_id, created_at, id) WHERE state = 'failed';
