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
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id       TEXT COLLATE "C" NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    name_slug     TEXT COLLATE "C" NOT NULL,
    active        BOOLEAN NOT NULL,
    -- The version that new runs take.
    deployment_id TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    UNIQUE (user_id, name_slug)
);
CREATE INDEX workflows_by_age ON workflows (user_id, created_at, id);

-- Versions, which never change: the document and its files as they were given, and what was made of them.
CREATE TABLE deployments (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    workflow_id TEXT COLLATE "C" NOT NULL,
    number      BIGINT NOT NULL,
    definition  TEXT COLLATE "C" NOT NULL,
    document    TEXT COLLATE "C" NOT NULL,
    files       TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL,
    UNIQUE (workflow_id, number)
);

-- Environment values that a document declares as secrets.
CREATE TABLE workflow_secrets (
    workflow_id TEXT COLLATE "C" NOT NULL,
    name        TEXT COLLATE "C" NOT NULL,
    sealed      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workflow_id, name)
);

-- A run is written when it begins, and stays as the record of what it did. What waits for its turn is in the inbox.
CREATE TABLE runs (
    id            TEXT COLLATE "C" NOT NULL,
    workflow_id   TEXT COLLATE "C" NOT NULL,
    deployment_id TEXT COLLATE "C" NOT NULL,
    state         TEXT COLLATE "C" NOT NULL,
    -- JSON: what the trigger was, and what else a run is told about itself.
    origin        TEXT COLLATE "C" NOT NULL,
    depth         BIGINT NOT NULL,
    accepted_at   BIGINT NOT NULL,
    started_at    BIGINT NOT NULL,
    finished_at   BIGINT,
    -- When it goes on by itself, or is given up.
    due_at        BIGINT,
    -- JSON: what it waits for, while it does.
    pause         TEXT COLLATE "C",
    -- Whoever has it may make the run go on, or cancel it.
    pause_key     TEXT COLLATE "C",
    -- JSON: why it failed; or text: why it ended early.
    error         TEXT COLLATE "C",
    exit_reason   TEXT COLLATE "C",
    event         TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workflow_id, id)
);
CREATE INDEX runs_by_state ON runs (workflow_id, state, id);
CREATE INDEX runs_by_start ON runs (workflow_id, started_at);
CREATE INDEX runs_by_due ON runs (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX runs_by_pause_key ON runs (pause_key) WHERE pause_key IS NOT NULL;

-- One row for each time that a step ran.
CREATE TABLE run_steps (
    workflow_id TEXT COLLATE "C" NOT NULL,
    run_id      TEXT COLLATE "C" NOT NULL,
    position    BIGINT NOT NULL,
    attempt     BIGINT NOT NULL,
    name        TEXT COLLATE "C" NOT NULL,
    state       TEXT COLLATE "C" NOT NULL,
    started_at  BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    error       TEXT COLLATE "C",
    logs        TEXT COLLATE "C" NOT NULL,
    exports     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (workflow_id, run_id, position, attempt)
);

-- What steps send with $.send. It is held until the run ends or waits for something.
CREATE TABLE sends (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    workflow_id TEXT COLLATE "C" NOT NULL,
    user_id     TEXT COLLATE "C" NOT NULL,
    run_id      TEXT COLLATE "C" NOT NULL,
    step        TEXT COLLATE "C" NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL,
    state       TEXT COLLATE "C" NOT NULL,
    -- When to try next; null while it is held and when it is over.
    due_at      BIGINT,
    tries       BIGINT NOT NULL,
    -- What came of the last try.
    result      TEXT COLLATE "C",
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    payload     TEXT COLLATE "C" NOT NULL
);
CREATE INDEX sends_by_run ON sends (workflow_id, run_id, id);
CREATE INDEX sends_by_due ON sends (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sends_by_lane ON sends (user_id, kind, due_at, id) WHERE due_at IS NOT NULL;
