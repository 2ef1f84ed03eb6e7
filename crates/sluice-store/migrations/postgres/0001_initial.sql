-- Instants are milliseconds since the epoch, days are days since it, JSON is text.
-- The columns are those of the SQLite schema, in the same order. Text compares by its bytes, as
-- it does there: ids are ordered by it.

CREATE TABLE users (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    username        TEXT COLLATE "C" NOT NULL UNIQUE,
    email           TEXT COLLATE "C" NOT NULL,
    plan            TEXT COLLATE "C" NOT NULL,
    operator        BOOLEAN NOT NULL,
    key_fingerprint TEXT COLLATE "C" NOT NULL UNIQUE,
    key_sealed      TEXT COLLATE "C" NOT NULL,
    created_at      BIGINT NOT NULL
);

CREATE TABLE usage (
    user_id     TEXT COLLATE "C" NOT NULL,
    day         BIGINT NOT NULL,
    invocations BIGINT NOT NULL,
    compute_ms  BIGINT NOT NULL,
    PRIMARY KEY (user_id, day)
);

CREATE TABLE components (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id    TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C",
    name       TEXT COLLATE "C" NOT NULL,
    version    TEXT COLLATE "C" NOT NULL,
    code       TEXT COLLATE "C" NOT NULL,
    code_hash  TEXT COLLATE "C" NOT NULL,
    url        TEXT COLLATE "C",
    shape      TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX components_by_key ON components (user_id, key, created_at);

CREATE TABLE registry (
    key          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    component_id TEXT COLLATE "C" NOT NULL,
    published_at BIGINT NOT NULL
);

CREATE TABLE sources (
    id               TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id          TEXT COLLATE "C" NOT NULL,
    component_id     TEXT COLLATE "C" NOT NULL,
    name             TEXT COLLATE "C" NOT NULL,
    name_slug        TEXT COLLATE "C" NOT NULL,
    phase            TEXT COLLATE "C" NOT NULL,
    active           BOOLEAN NOT NULL,
    configured_props TEXT COLLATE "C" NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    UNIQUE (user_id, name_slug)
);
CREATE INDEX sources_by_age ON sources (user_id, created_at, id);

CREATE TABLE endpoints (
    key       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    source_id TEXT COLLATE "C" NOT NULL,
    prop      TEXT COLLATE "C" NOT NULL
);
CREATE INDEX endpoints_by_source ON endpoints (source_id);

CREATE TABLE timers (
    source_id TEXT COLLATE "C" NOT NULL,
    prop      TEXT COLLATE "C" NOT NULL,
    spec      TEXT COLLATE "C" NOT NULL,
    -- Null when the timer is not armed.
    due_at    BIGINT,
    PRIMARY KEY (source_id, prop)
);
CREATE INDEX timers_by_due ON timers (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE source_state (
    source_id      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    last_event_ms  BIGINT,
    last_event_seq BIGINT,
    dedupe         TEXT COLLATE "C"
);

CREATE TABLE kv (
    source_id TEXT COLLATE "C" NOT NULL,
    key       TEXT COLLATE "C" NOT NULL,
    value     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (source_id, key)
);

-- Accepted work. Rows are looked up by id, whose order is the order of acceptance.
CREATE TABLE inbox (
    seq         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id   TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL,
    prop        TEXT COLLATE "C",
    attempts    BIGINT NOT NULL,
    accepted_at BIGINT NOT NULL,
    payload     TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX inbox_by_id ON inbox (source_id, id);

CREATE TABLE uploads (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    source_id     TEXT COLLATE "C" NOT NULL,
    invocation_id TEXT COLLATE "C" NOT NULL,
    filename      TEXT COLLATE "C" NOT NULL,
    mimetype      TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL,
    content       BYTEA NOT NULL
);
CREATE INDEX uploads_by_invocation ON uploads (source_id, invocation_id);
CREATE INDEX uploads_by_age ON uploads (created_at);

-- An event's name is (ms, seq). The seq_no only keeps rows in the order they were written, and
-- is never shown.
CREATE TABLE events (
    seq_no    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id TEXT COLLATE "C" NOT NULL,
    ms        BIGINT NOT NULL,
    seq       BIGINT NOT NULL,
    channel   TEXT COLLATE "C" NOT NULL,
    emit_id   TEXT COLLATE "C" NOT NULL,
    meta      TEXT COLLATE "C" NOT NULL,
    data      TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX events_by_id ON events (source_id, ms, seq);

-- Log lines are paged by seq.
CREATE TABLE logs (
    seq           BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id     TEXT COLLATE "C" NOT NULL,
    invocation_id TEXT COLLATE "C",
    ts            BIGINT NOT NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    level         TEXT COLLATE "C" NOT NULL,
    message       TEXT COLLATE "C" NOT NULL
);
CREATE INDEX logs_by_source ON logs (source_id, seq);
