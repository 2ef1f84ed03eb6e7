-- What sources and workflows have in common is told apart by the id alone.
ALTER TABLE endpoints RENAME COLUMN source_id TO emitter_id;
ALTER TABLE timers RENAME COLUMN source_id TO emitter_id;
ALTER TABLE source_state RENAME COLUMN source_id TO emitter_id;
ALTER TABLE source_state RENAME TO emitter_state;
ALTER TABLE kv RENAME COLUMN source_id TO emitter_id;
ALTER TABLE inbox RENAME COLUMN source_id TO emitter_id;
ALTER TABLE uploads RENAME COLUMN source_id TO emitter_id;
ALTER TABLE events RENAME COLUMN source_id TO emitter_id;
ALTER TABLE logs RENAME COLUMN source_id TO emitter_id;
ALTER TABLE held_events RENAME COLUMN source_id TO emitter_id;

-- The workflow whose step a component is the code of. It is nobody's to use elsewhere.
ALTER TABLE components ADD COLUMN workflow_id TEXT;

CREATE TABLE workflows (
    id            TEXT NOT NULL PRIMARY KEY,
    user_id       TEXT NOT NULL,
    name          TEXT NOT NULL,
    name_slug     TEXT NOT NULL,
    active        INTEGER NOT NULL,
    -- The version that new runs take.
    deployment_id TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    UNIQUE (user_id, name_slug)
);
CREATE INDEX workflows_by_age ON workflows (user_id, created_at, id);

-- Versions, which never change: the document and its files as they were given, and what was made of them.
CREATE TABLE deployments (
    id          TEXT NOT NULL PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    number      INTEGER NOT NULL,
    definition  TEXT NOT NULL,
    document    TEXT NOT NULL,
    files       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    UNIQUE (workflow_id, number)
);

-- Environment values that a document declares as secrets.
CREATE TABLE workflow_secrets (
    workflow_id TEXT NOT NULL,
    name        TEXT NOT NULL,
    sealed      TEXT NOT NULL,
    PRIMARY KEY (workflow_id, name)
) WITHOUT ROWID;

-- A run is written when it begins, and stays as the record of what it did. What waits for its turn is in the inbox.
CREATE TABLE runs (
    id            TEXT NOT NULL,
    workflow_id   TEXT NOT NULL,
    deployment_id TEXT NOT NULL,
    state         TEXT NOT NULL,
    -- JSON: what the trigger was, and what else a run is told about itself.
    origin        TEXT NOT NULL,
    depth         INTEGER NOT NULL,
    accepted_at   INTEGER NOT NULL,
    started_at    INTEGER NOT NULL,
    finished_at   INTEGER,
    -- When it goes on by itself, or is given up.
    due_at        INTEGER,
    -- JSON: what it waits for, while it does.
    pause         TEXT,
    -- Whoever has it may make the run go on, or cancel it.
    pause_key     TEXT,
    -- JSON: why it failed; or text: why it ended early.
    error         TEXT,
    exit_reason   TEXT,
    event         TEXT NOT NULL,
    PRIMARY KEY (workflow_id, id)
);
CREATE INDEX runs_by_state ON runs (workflow_id, state, id);
CREATE INDEX runs_by_start ON runs (workflow_id, started_at);
CREATE INDEX runs_by_due ON runs (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX runs_by_pause_key ON runs (pause_key) WHERE pause_key IS NOT NULL;

-- One row for each time that a step ran.
CREATE TABLE run_steps (
    workflow_id TEXT NOT NULL,
    run_id      TEXT NOT NULL,
    position    INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    name        TEXT NOT NULL,
    state       TEXT NOT NULL,
    started_at  INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    error       TEXT,
    logs        TEXT NOT NULL,
    exports     TEXT NOT NULL,
    PRIMARY KEY (workflow_id, run_id, position, attempt)
);

-- What steps send with $.send. It is held until the run ends or waits for something.
CREATE TABLE sends (
    id          TEXT NOT NULL PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    user_id     TEXT NOT NULL,
    run_id      TEXT NOT NULL,
    step        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    state       TEXT NOT NULL,
    -- When to try next; null while it is held and when it is over.
    due_at      INTEGER,
    tries       INTEGER NOT NULL,
    -- What came of the last try.
    result      TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    payload     TEXT NOT NULL
);
CREATE INDEX sends_by_run ON sends (workflow_id, run_id, id);
CREATE INDEX sends_by_due ON sends (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sends_by_lane ON sends (user_id, kind, due_at, id) WHERE due_at IS NOT NULL;
