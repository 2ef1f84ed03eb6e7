-- What happened in each hour, in UTC; hours count from the epoch. One row for each source or workflow, and one for the whole account,
-- so that its chart reads as many rows as it has points, however many sources there are.
CREATE TABLE activity (
    emitter_id  TEXT COLLATE "C" NOT NULL,
    hour        BIGINT NOT NULL,
    events      BIGINT NOT NULL,
    errors      BIGINT NOT NULL,
    invocations BIGINT NOT NULL,
    compute_ms  BIGINT NOT NULL,
    PRIMARY KEY (emitter_id, hour)
);
CREATE INDEX activity_with_errors ON activity (emitter_id, hour, errors) WHERE errors > 0;
CREATE INDEX activity_by_hour ON activity (hour);

CREATE TABLE user_activity (
    user_id     TEXT COLLATE "C" NOT NULL,
    hour        BIGINT NOT NULL,
    events      BIGINT NOT NULL,
    errors      BIGINT NOT NULL,
    invocations BIGINT NOT NULL,
    compute_ms  BIGINT NOT NULL,
    PRIMARY KEY (user_id, hour)
);
CREATE INDEX user_activity_by_hour ON user_activity (hour);

-- When it last emitted something; the last event id is also that of an error.
ALTER TABLE emitter_state ADD COLUMN last_emit_at BIGINT;
UPDATE emitter_state SET last_emit_at = (SELECT e.ms FROM events e WHERE e.emitter_id = emitter_state.emitter_id
    AND substr(e.channel, 1, 1) <> '$' ORDER BY e.ms DESC, e.seq DESC LIMIT 1);

CREATE INDEX deliveries_failed ON deliveries (webhook_id, created_at, id) WHERE state = 'failed';
