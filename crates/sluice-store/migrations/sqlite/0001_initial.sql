-- Instants are milliseconds since the epoch, days are days since it, JSON is text.
-- The columns are those of the PostgreSQL schema, in the same order.

CREATE TABLE users (
    id              TEXT NOT NULL PRIMARY KEY,
    username        TEXT NOT NULL UNIQUE,
    email           TEXT NOT NULL,
    plan            TEXT NOT NULL,
    operator        INTEGER NOT NULL,
    key_fingerprint TEXT NOT NULL UNIQUE,
    key_sealed      TEXT NOT NULL,
    created_at      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE usage (
    user_id     TEXT NOT NULL,
    day         INTEGER NOT NULL,
    invocations INTEGER NOT NULL,
    compute_ms  INTEGER NOT NULL,
    PRIMARY KEY (user_id, day)
) WITHOUT ROWID;

CREATE TABLE components (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL,
    key        TEXT,
    name       TEXT NOT NULL,
    version    TEXT NOT NULL,
    code       TEXT NOT NULL,
    code_hash  TEXT NOT NULL,
    url        TEXT,
    shape      TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE INDEX components_by_key ON components (user_id, key, created_at);

CREATE TABLE registry (
    key          TEXT NOT NULL PRIMARY KEY,
    component_id TEXT NOT NULL,
    published_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE sources (
    id               TEXT NOT NULL PRIMARY KEY,
    user_id          TEXT NOT NULL,
    component_id     TEXT NOT NULL,
    name             TEXT NOT NULL,
    name_slug        TEXT NOT NULL,
    phase            TEXT NOT NULL,
    active           INTEGER NOT NULL,
    configured_props TEXT NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    UNIQUE (user_id, name_slug)
);
CREATE INDEX sources_by_age ON sources (user_id, created_at, id);

CREATE TABLE endpoints (
    key       TEXT NOT NULL PRIMARY KEY,
    source_id TEXT NOT NULL,
    prop      TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX endpoints_by_source ON endpoints (source_id);

CREATE TABLE timers (
    source_id TEXT NOT NULL,
    prop      TEXT NOT NULL,
    spec      TEXT NOT NULL,
    -- Null when the timer is not armed.
    due_at    INTEGER,
    PRIMARY KEY (source_id, prop)
) WITHOUT ROWID;
CREATE INDEX timers_by_due ON timers (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE source_state (
    source_id      TEXT NOT NULL PRIMARY KEY,
    last_event_ms  INTEGER,
    last_event_seq INTEGER,
    dedupe         TEXT
) WITHOUT ROWID;

CREATE TABLE kv (
    source_id TEXT NOT NULL,
    key       TEXT NOT NULL,
    value     TEXT NOT NULL,
    PRIMARY KEY (source_id, key)
);

-- Accepted work. Rows are appended by seq and looked up by id, whose order is the order of
-- acceptance. The seq is never shown, so it may be used again and needs no AUTOINCREMENT, which
-- would cost a second write for each row.
CREATE TABLE inbox (
    seq         INTEGER PRIMARY KEY,
    source_id   TEXT NOT NULL,
    id          TEXT NOT NULL,
    kind        TEXT NOT NULL,
    prop        TEXT,
    attempts    INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    payload     TEXT NOT NULL
);
CREATE UNIQUE INDEX inbox_by_id ON inbox (source_id, id);

-- The content is last, so that the other columns are read without it.
CREATE TABLE uploads (
    id            TEXT NOT NULL PRIMARY KEY,
    source_id     TEXT NOT NULL,
    invocation_id TEXT NOT NULL,
    filename      TEXT NOT NULL,
    mimetype      TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    content       BLOB NOT NULL
);
CREATE INDEX uploads_by_invocation ON uploads (source_id, invocation_id);
CREATE INDEX uploads_by_age ON uploads (created_at);

-- An event's name is (ms, seq). The seq_no only keeps rows in the order they were written, and
-- is never shown.
CREATE TABLE events (
    seq_no    INTEGER PRIMARY KEY,
    source_id TEXT NOT NULL,
    ms        INTEGER NOT NULL,
    seq       INTEGER NOT NULL,
    channel   TEXT NOT NULL,
    emit_id   TEXT NOT NULL,
    meta      TEXT NOT NULL,
    data      TEXT NOT NULL
);
CREATE UNIQUE INDEX events_by_id ON events (source_id, ms, seq);

-- Log lines are paged by seq, so one must never be used twice: hence AUTOINCREMENT.
CREATE TABLE logs (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    source_id     TEXT NOT NULL,
    invocation_id TEXT,
    ts            INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    level         TEXT NOT NULL,
    message       TEXT NOT NULL
);
CREATE INDEX logs_by_source ON logs (source_id, seq);
