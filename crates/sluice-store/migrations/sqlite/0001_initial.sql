-- Instants are milliseconds since the epoch, days are days since it, JSON is text.
-- The columns are those of the PostgreSQL schema, in the same order.
-- An emitter is a source or a workflow: its id alone tells which.

-- === Users ===

CREATE TABLE users (
    id              TEXT NOT NULL PRIMARY KEY,
    username        TEXT NOT NULL UNIQUE,
    email           TEXT NOT NULL,
    plan            TEXT NOT NULL,
    operator        INTEGER NOT NULL,
    key_fingerprint TEXT NOT NULL UNIQUE,
    key_sealed      TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    -- The user gave the address, and nothing proves that it is theirs.
    email_claimed   INTEGER NOT NULL DEFAULT 0,
    -- Who it is for a provider of OpenID Connect; null until the first sign-in.
    oidc_issuer     TEXT,
    oidc_subject    TEXT
) WITHOUT ROWID;

CREATE UNIQUE INDEX users_by_identity ON users (oidc_issuer, oidc_subject);
CREATE INDEX users_by_email ON users (lower(email));

-- Named keys of users, beside the main key in users. A key is known by its fingerprint only.
CREATE TABLE api_keys (
    id              TEXT NOT NULL PRIMARY KEY,
    user_id         TEXT NOT NULL,
    name            TEXT NOT NULL,
    -- Words separated by commas.
    scopes          TEXT NOT NULL,
    key_fingerprint TEXT NOT NULL UNIQUE,
    -- The last characters of the key, by which its user recognizes it.
    last_characters TEXT NOT NULL,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER,
    -- To the minute; none if it was never used.
    last_used_at    INTEGER,
    -- Of an application that signed in by OAuth, a digest of its id; none for other keys.
    application     TEXT,
    -- When the token of an application ends that renews its tokens. The fingerprint is that of the newest token.
    token_expires_at INTEGER,
    renewals        INTEGER NOT NULL DEFAULT 0,
    renewed_at      INTEGER
) WITHOUT ROWID;
CREATE INDEX api_keys_by_user ON api_keys (user_id, created_at, id);

-- People who are signed in to the console. The token in their cookie is known by its fingerprint only.
CREATE TABLE sessions (
    token_fingerprint TEXT NOT NULL PRIMARY KEY,
    -- Names the session to its user. It is no secret.
    id                TEXT NOT NULL UNIQUE,
    user_id           TEXT NOT NULL,
    -- The browser and its address at the sign-in.
    user_agent        TEXT NOT NULL,
    address           TEXT NOT NULL,
    created_at        INTEGER NOT NULL,
    -- When it was last used, to the hour.
    used_at           INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id, created_at, id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE usage (
    user_id     TEXT NOT NULL,
    day         INTEGER NOT NULL,
    invocations INTEGER NOT NULL,
    compute_ms  INTEGER NOT NULL,
    PRIMARY KEY (user_id, day)
) WITHOUT ROWID;

-- === Apps and accounts ===

-- Apps that components authenticate to, as the operator registered them.
CREATE TABLE apps (
    id            TEXT NOT NULL PRIMARY KEY,
    slug          TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    description   TEXT,
    auth          TEXT NOT NULL,
    secret_sealed TEXT,
    -- Who described it: 'operator', or 'program' for the catalogue and the code of imported components.
    origin        TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) WITHOUT ROWID;

-- Users' credentials for apps. The version counts every change of the credentials or the health.
CREATE TABLE accounts (
    id                 TEXT NOT NULL PRIMARY KEY,
    user_id            TEXT NOT NULL,
    app_id             TEXT NOT NULL,
    name               TEXT NOT NULL,
    credentials_sealed TEXT NOT NULL,
    expires_at         INTEGER,
    -- Null while the account is healthy.
    dead_reason        TEXT,
    version            INTEGER NOT NULL,
    -- Until then somebody is renewing the credentials, or all are to leave the provider in peace.
    renewing_until     INTEGER,
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX accounts_by_age ON accounts (user_id, created_at, id);
CREATE INDEX accounts_by_app ON accounts (app_id);

-- Accounts that are being connected in a browser. The state is known by its fingerprint only.
CREATE TABLE connections (
    id                TEXT NOT NULL PRIMARY KEY,
    state_fingerprint TEXT NOT NULL UNIQUE,
    user_id           TEXT NOT NULL,
    app_id            TEXT NOT NULL,
    -- The account to renew, or the one that was made; null before that.
    account_id        TEXT,
    name              TEXT,
    -- JSON: fields of the account beside its tokens.
    fields            TEXT NOT NULL,
    verifier_sealed   TEXT,
    redirect_to       TEXT,
    stage             TEXT NOT NULL,
    -- JSON: the code and the message of the error; null unless it failed.
    error             TEXT,
    created_at        INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX connections_by_age ON connections (created_at);

-- === Components and their code ===

CREATE TABLE components (
    id          TEXT NOT NULL PRIMARY KEY,
    user_id     TEXT NOT NULL,
    -- The workflow whose step it is the code of. It is nobody's to use elsewhere.
    workflow_id TEXT,
    -- Whether an import of a tree stored it. Then it belongs to the registry, and is not among what its user saved.
    imported    INTEGER NOT NULL DEFAULT 0,
    -- False for what was imported and not yet used: its packages were not looked up, and its shape was read without
    -- them.
    resolved    INTEGER NOT NULL DEFAULT 1,
    key         TEXT,
    name        TEXT NOT NULL,
    version     TEXT NOT NULL,
    url         TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    -- JSON: which npm packages the code runs with. Null when it names none.
    packages    TEXT,
    -- Tells locks apart, and names the folder of the packages on each node. Null when there are none.
    packages_hash TEXT,
    shape       TEXT NOT NULL,
    code_hash   TEXT NOT NULL,
    -- The link of the code itself. Null for JavaScript in one file.
    link        TEXT,
    code        TEXT NOT NULL
);
CREATE INDEX components_by_key ON components (user_id, key, created_at);
CREATE INDEX components_by_packages ON components (packages_hash) WHERE packages_hash IS NOT NULL;

-- The files that components import. Each text is stored once.
CREATE TABLE code_files (
    hash    TEXT NOT NULL PRIMARY KEY,
    used_at INTEGER NOT NULL,
    text    TEXT NOT NULL
);

CREATE TABLE component_files (
    component_id TEXT NOT NULL,
    position     INTEGER NOT NULL,
    hash         TEXT NOT NULL,
    link         TEXT NOT NULL,
    PRIMARY KEY (component_id, position)
) WITHOUT ROWID;
CREATE INDEX component_files_by_hash ON component_files (hash);

-- Installed packages of locks, for nodes that cannot reach the registry. Empty on SQLite: a single server has its folders.
CREATE TABLE package_archives (
    packages_hash TEXT NOT NULL PRIMARY KEY,
    bytes         INTEGER NOT NULL,
    -- SHA-256.
    checksum      BLOB NOT NULL,
    created_at    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE package_archive_chunks (
    packages_hash TEXT NOT NULL,
    position      INTEGER NOT NULL,
    content       BLOB NOT NULL,
    PRIMARY KEY (packages_hash, position)
);

-- How often the registry of each shelf has changed.
CREATE TABLE registry_shelves (
    shelf      TEXT NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL
) WITHOUT ROWID;

-- All versions of what was published, by a user into the account or by the operator for the whole server.
CREATE TABLE registry (
    id           INTEGER NOT NULL PRIMARY KEY,
    -- The id of a user, or 'server'.
    shelf        TEXT NOT NULL,
    key          TEXT NOT NULL,
    version      TEXT NOT NULL,
    -- Whether this version is the newest of its key on its shelf.
    newest       INTEGER NOT NULL,
    component_id TEXT NOT NULL,
    app          TEXT,
    kind         TEXT NOT NULL,
    name         TEXT NOT NULL,
    description  TEXT,
    published_at INTEGER NOT NULL,
    UNIQUE (shelf, key, version)
);
CREATE INDEX registry_by_component ON registry (component_id);
CREATE INDEX registry_by_shelf ON registry (shelf) WHERE newest;
-- The words of each row, for searches. Words of a query are beginnings of words. Without an index of its own, a beginning that
-- is in every row takes as long as a scan.
CREATE VIRTUAL TABLE registry_words USING fts5 (
    words, content = '', contentless_delete = 1, detail = 'none', prefix = '1 2 3 4 5 6 7 8',
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
);
CREATE TRIGGER registry_removed AFTER DELETE ON registry BEGIN
    DELETE FROM registry_words WHERE rowid = old.id;
END;

-- The files of imported trees, so that the next import can skip unchanged ones.
CREATE TABLE imported_files (
    tree    TEXT NOT NULL,
    path    TEXT NOT NULL,
    -- JSON: the files that the component was made of, each with the hash of its contents.
    files   TEXT NOT NULL,
    -- The registered version. It stays when a later import fails.
    key     TEXT,
    version TEXT,
    -- JSON: the reason and the errors of the last import, if it failed.
    failure TEXT,
    PRIMARY KEY (tree, path)
) WITHOUT ROWID;
CREATE INDEX imported_files_by_key ON imported_files (key);

-- Imports that can be undone.
CREATE TABLE imports (
    id         TEXT NOT NULL PRIMARY KEY,
    tree       TEXT NOT NULL,
    user_id    TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX imports_by_tree ON imports (tree);

-- The changes that an import made to the registry.
CREATE TABLE import_changes (
    import_id     TEXT NOT NULL,
    key           TEXT NOT NULL,
    version       TEXT NOT NULL,
    path          TEXT NOT NULL,
    -- The components of this version before and after the import, or NULL for none.
    old_component TEXT,
    new_component TEXT,
    PRIMARY KEY (import_id, key, version)
) WITHOUT ROWID;
CREATE INDEX import_changes_by_component ON import_changes (old_component) WHERE old_component IS NOT NULL;

-- === Sources ===

CREATE TABLE sources (
    id               TEXT NOT NULL PRIMARY KEY,
    user_id          TEXT NOT NULL,
    component_id     TEXT NOT NULL,
    name             TEXT NOT NULL,
    name_slug        TEXT NOT NULL,
    phase            TEXT NOT NULL,
    active           INTEGER NOT NULL,
    -- What it keeps, where that differs from the server's settings.
    max_events       INTEGER,
    max_age_seconds  INTEGER,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    configured_props TEXT NOT NULL,
    -- What its component declared in additionalProps, as it stood when the source was deployed.
    dynamic_props    TEXT NOT NULL DEFAULT '[]',
    -- The number of its newest version, which it runs.
    version          INTEGER NOT NULL DEFAULT 1,
    UNIQUE (user_id, name_slug)
);
CREATE INDEX sources_by_age ON sources (user_id, created_at, id);
CREATE INDEX sources_with_an_age ON sources (id) WHERE max_age_seconds IS NOT NULL;

-- The code and props that a source had, as stored in its row. A version never changes.
CREATE TABLE source_versions (
    source_id        TEXT NOT NULL,
    -- Counted from 1 for each source.
    number           INTEGER NOT NULL,
    component_id     TEXT NOT NULL,
    -- The version that a rollback took it from; null for another change.
    restored         INTEGER,
    -- The name of the user at that time, and how the user was authenticated.
    author           TEXT NOT NULL,
    credential       TEXT NOT NULL,
    created_at       INTEGER NOT NULL,
    configured_props TEXT NOT NULL,
    dynamic_props    TEXT NOT NULL,
    PRIMARY KEY (source_id, number)
);

-- Answers of additionalProps, for the form that asked to refer to.
CREATE TABLE dynamic_props (
    id           TEXT NOT NULL PRIMARY KEY,
    user_id      TEXT NOT NULL,
    component_id TEXT NOT NULL,
    props        TEXT NOT NULL,
    created_at   INTEGER NOT NULL
);
CREATE INDEX dynamic_props_by_age ON dynamic_props (created_at);

-- === Endpoints, timers and state of emitters ===

CREATE TABLE endpoints (
    key        TEXT NOT NULL PRIMARY KEY,
    emitter_id TEXT NOT NULL,
    prop       TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX endpoints_by_source ON endpoints (emitter_id);

CREATE TABLE timers (
    emitter_id TEXT NOT NULL,
    prop       TEXT NOT NULL,
    spec       TEXT NOT NULL,
    -- Null when the timer is not armed.
    due_at     INTEGER,
    -- The last tick that ran: when it was due, and how much later it was dispatched. Null before the first one.
    last_tick_at INTEGER,
    lateness_ms  INTEGER,
    PRIMARY KEY (emitter_id, prop)
) WITHOUT ROWID;
CREATE INDEX timers_by_due ON timers (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE emitter_state (
    emitter_id     TEXT NOT NULL PRIMARY KEY,
    -- The server whose commits count, by its incarnation; null before the first one. The epoch counts its claims.
    owner          TEXT,
    epoch          INTEGER NOT NULL DEFAULT 0,
    -- Numbers the commits of the emitter, so that a commit whose reply was lost is recognized.
    commit_no      INTEGER NOT NULL DEFAULT 0,
    -- Counts the changes of the definition, so that nodes notice what they remember of an older one.
    generation     INTEGER NOT NULL DEFAULT 0,
    last_event_ms  INTEGER,
    last_event_seq INTEGER,
    -- When it last emitted something; the last event id is also that of an error.
    last_emit_at   INTEGER,
    dedupe         TEXT
) WITHOUT ROWID;

CREATE TABLE kv (
    emitter_id TEXT NOT NULL,
    key        TEXT NOT NULL,
    value      TEXT NOT NULL,
    PRIMARY KEY (emitter_id, key)
);

-- === Inbox ===

-- Accepted work. Rows are appended by seq and looked up by id, whose order is the order of
-- acceptance. The seq is never shown, so it may be used again and needs no AUTOINCREMENT, which
-- would cost a second write for each row.
CREATE TABLE inbox (
    seq         INTEGER PRIMARY KEY,
    emitter_id  TEXT NOT NULL,
    id          TEXT NOT NULL,
    kind        TEXT NOT NULL,
    -- The interface prop; for an event of an emitter, the ids of both.
    prop        TEXT,
    -- How many events in a row led here, each caused by the one before.
    depth       INTEGER NOT NULL DEFAULT 0,
    -- The node at which a client waits for the reply; null when none does, or the owner has it in memory.
    reply_to    TEXT,
    attempts    INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL,
    -- The trace context that caused it, as text; null without a trace.
    trace       TEXT,
    payload     TEXT NOT NULL
);
CREATE UNIQUE INDEX inbox_by_id ON inbox (emitter_id, id);

-- The content is last, so that the other columns are read without it.
CREATE TABLE uploads (
    id            TEXT NOT NULL PRIMARY KEY,
    emitter_id    TEXT NOT NULL,
    invocation_id TEXT NOT NULL,
    filename      TEXT NOT NULL,
    mimetype      TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    content       BLOB NOT NULL
);
CREATE INDEX uploads_by_invocation ON uploads (emitter_id, invocation_id);
CREATE INDEX uploads_by_age ON uploads (created_at);

-- === Events ===

-- An event's name is (ms, seq). The seq_no only keeps rows in the order they were written, and
-- is never shown.
CREATE TABLE events (
    seq_no     INTEGER PRIMARY KEY,
    emitter_id TEXT NOT NULL,
    ms         INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    channel    TEXT NOT NULL,
    emit_id    TEXT NOT NULL,
    -- The invocation of the source, or the run of the workflow, that emitted it, and what caused that: `http`, `timer`, `manual`,
    -- `hook`, or the emitter and the id of an event. Null for events of the server.
    invocation_id TEXT,
    cause      TEXT,
    -- From the dispatch of the invocation to its end. Null for a run.
    duration_ms INTEGER,
    -- The trace context of the invocation; null without a trace.
    trace      TEXT,
    meta       TEXT NOT NULL,
    data       TEXT NOT NULL
);
CREATE UNIQUE INDEX events_by_id ON events (emitter_id, ms, seq);
CREATE INDEX events_by_trace ON events (trace) WHERE trace IS NOT NULL;

-- Events that wait for their time; they are listed under this id until then.
CREATE TABLE held_events (
    emitter_id TEXT NOT NULL,
    ms         INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    -- Null when its time has come and its source has it among its work.
    due_at     INTEGER,
    depth      INTEGER NOT NULL,
    PRIMARY KEY (emitter_id, ms, seq)
) WITHOUT ROWID;
CREATE INDEX held_events_by_due ON held_events (due_at) WHERE due_at IS NOT NULL;

-- Replays of events, by the id under which each was emitted again.
CREATE TABLE event_replays (
    emitter_id TEXT NOT NULL,
    ms         INTEGER NOT NULL,
    seq        INTEGER NOT NULL,
    emit_id    TEXT NOT NULL,
    PRIMARY KEY (emitter_id, ms, seq, emit_id)
) WITHOUT ROWID;

-- === Events to run with ===

-- The last HTTP request of each source that its owner stored, as the component got it.
CREATE TABLE last_requests (
    emitter_id TEXT NOT NULL PRIMARY KEY,
    at         INTEGER NOT NULL,
    event      TEXT NOT NULL
);

-- Events that users saved by name, for runs by hand.
CREATE TABLE saved_events (
    emitter_id TEXT NOT NULL,
    name       TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    event      TEXT NOT NULL,
    PRIMARY KEY (emitter_id, name)
);

-- === Webhooks, subscriptions and deliveries ===

-- Secrets are sealed. The one before the last rotation signs too until previous_until.
CREATE TABLE webhooks (
    id              TEXT NOT NULL PRIMARY KEY,
    user_id         TEXT NOT NULL,
    name            TEXT,
    description     TEXT,
    url             TEXT NOT NULL,
    active          INTEGER NOT NULL,
    concurrency     INTEGER NOT NULL,
    secret          TEXT NOT NULL,
    previous_secret TEXT,
    previous_until  INTEGER,
    -- When an event last reached it; deliveries are forgotten, this is not.
    delivered_at    INTEGER,
    -- The first failed attempt since then, and the error of the last one; null while attempts succeed.
    failing_since   INTEGER,
    failure         TEXT,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
);
CREATE INDEX webhooks_by_age ON webhooks (user_id, created_at, id);
CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE failing_since IS NOT NULL;

-- The emitter is an id, `dc_*`, `p_*`, or `*` for an auto-subscription, which stands for the rows
-- that emitters get when they are created. The event name is what was given.
CREATE TABLE subscriptions (
    id          TEXT NOT NULL PRIMARY KEY,
    user_id     TEXT NOT NULL,
    emitter_id  TEXT NOT NULL,
    event_name  TEXT NOT NULL,
    listener_id TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    -- The emitter, or the user if it is for several emitters.
    route       TEXT NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX subscriptions_by_emitter
    ON subscriptions (emitter_id, user_id, event_name, listener_id);
CREATE INDEX subscriptions_by_route ON subscriptions (route, user_id);
CREATE INDEX subscriptions_by_listener ON subscriptions (listener_id);
CREATE INDEX subscriptions_by_user ON subscriptions (user_id, created_at, id);

-- What deliveries carry: a copy of the event, because events are pruned and deleted while
-- deliveries are still tried and replayed. Shared by the deliveries to all webhooks.
CREATE TABLE payloads (
    id         TEXT NOT NULL PRIMARY KEY,
    emitter_id TEXT NOT NULL,
    event_id   TEXT NOT NULL,
    channel    TEXT NOT NULL,
    -- The trace context of the event; null without a trace.
    trace      TEXT,
    -- The summary of the emit, else the beginning of the data.
    summary    TEXT NOT NULL DEFAULT '',
    data       TEXT NOT NULL
);

-- The outbox, and what became of it. An id is `dlv_`, the id of the payload and the tail of the webhook's id, so
-- that ids follow the order of commits and the deliveries of a payload lie side by side.
CREATE TABLE deliveries (
    id         TEXT NOT NULL PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    payload_id TEXT NOT NULL,
    state      TEXT NOT NULL,
    -- When to try next; null when it is over.
    due_at     INTEGER,
    -- Tries since it was made or last replayed; the attempts, as JSON, have all.
    tries      INTEGER NOT NULL,
    attempts   TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- When it was replayed first, after it was over; null before.
    replayed_at INTEGER
) WITHOUT ROWID;
-- What waits is listed by age from this index alone.
CREATE INDEX deliveries_by_due ON deliveries (webhook_id, due_at, id, created_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_age ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_failed ON deliveries (webhook_id, created_at, id) WHERE state = 'failed';

-- The queues of the outbox that nodes work on, each by one node at a time. A row outlives the work: its node keeps the queue.
CREATE TABLE queue_claims (
    -- The id of a webhook, or the id of a user, a slash and a kind of send.
    queue    TEXT NOT NULL PRIMARY KEY,
    -- The incarnation of a node; null when the queue was released.
    owner    TEXT,
    -- The circuit breakers that are open, as JSON; null when none is.
    breakers TEXT
) WITHOUT ROWID;

-- === Workflows and their runs ===

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
    -- Whether its runs are single actions, each with a version of its own. It has no document, and no list has it.
    internal      INTEGER NOT NULL DEFAULT 0,
    UNIQUE (user_id, name_slug)
);
CREATE INDEX workflows_by_age ON workflows (user_id, created_at, id);
-- One for each user.
CREATE UNIQUE INDEX workflows_internal ON workflows (user_id) WHERE internal;

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

-- A run is written when it begins, a replay when it is queued, and stays as the record of what it did. What waits for
-- its turn is in the inbox.
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
    -- When it began to wait for its due time: it tells how long the wait is, whatever happens to the clock.
    waits_from    INTEGER,
    -- JSON: what it waits for, while it does.
    pause         TEXT,
    -- Whoever has it may make the run go on, or cancel it.
    pause_key     TEXT,
    -- JSON: why it failed; or text: why it ended early.
    error         TEXT,
    exit_reason   TEXT,
    -- The first run for the event, if this one is a replay.
    replay_of     TEXT,
    -- The trace context of the run; null without a trace.
    trace         TEXT,
    event         TEXT NOT NULL,
    PRIMARY KEY (workflow_id, id)
);
CREATE INDEX runs_by_state ON runs (workflow_id, state, id);
CREATE INDEX runs_by_original ON runs (workflow_id, replay_of, id) WHERE replay_of IS NOT NULL;
CREATE INDEX runs_by_trace ON runs (trace) WHERE trace IS NOT NULL;
CREATE INDEX runs_by_start ON runs (workflow_id, started_at);
CREATE INDEX runs_by_due ON runs (due_at, waits_from) WHERE due_at IS NOT NULL;
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
    -- JSON: what kind of wait followed the step; null when none did.
    pause       TEXT,
    error       TEXT,
    logs        TEXT NOT NULL,
    exports     TEXT NOT NULL,
    -- JSON: the values of its props, without secrets; null when it did not get as far.
    inputs      TEXT,
    PRIMARY KEY (workflow_id, run_id, position, attempt)
);

-- What steps send with $.send, which is held until the run ends or waits for something, and notifications.
CREATE TABLE sends (
    id          TEXT NOT NULL PRIMARY KEY,
    -- The step that sends it; null for a notification.
    workflow_id TEXT,
    user_id     TEXT NOT NULL,
    run_id      TEXT,
    step        TEXT,
    kind        TEXT NOT NULL,
    state       TEXT NOT NULL,
    -- When to try next; null while it is held and when it is over.
    due_at      INTEGER,
    tries       INTEGER NOT NULL,
    -- What came of the last try.
    result      TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    -- The trace context of the step; null without a trace.
    trace       TEXT,
    payload     TEXT NOT NULL
);
CREATE INDEX sends_by_run ON sends (workflow_id, run_id, id);
CREATE INDEX sends_by_due ON sends (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX sends_by_lane ON sends (user_id, kind, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX sends_of_notifications ON sends (user_id, id) WHERE workflow_id IS NULL;

-- === Tools ===

-- Actions that a user enabled for programs such as AI agents.
CREATE TABLE tools (
    user_id      TEXT NOT NULL,
    name         TEXT NOT NULL,
    -- The key of the action, or the id of its component.
    component    TEXT NOT NULL,
    -- Null: that of the action.
    description  TEXT,
    -- Values of props that programs neither see nor change, as one sealed JSON object.
    props_sealed TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    updated_at   INTEGER NOT NULL,
    PRIMARY KEY (user_id, name)
) WITHOUT ROWID;

-- === Saved filters ===

-- Filters of lists in the console, each under a name.
CREATE TABLE saved_filters (
    id         TEXT NOT NULL PRIMARY KEY,
    user_id    TEXT NOT NULL,
    -- The list that it filters: events, runs or logs.
    list       TEXT NOT NULL,
    name       TEXT NOT NULL,
    -- JSON: texts by parameter.
    parameters TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (user_id, list, name)
) WITHOUT ROWID;

-- === Notifications ===

-- Sources, workflows and webhooks that fail, or have failed lately. Commits write a row when a streak of failures begins, grows
-- or ends. The job that notifies users writes the last three columns.
CREATE TABLE subject_health (
    subject_id    TEXT NOT NULL PRIMARY KEY,
    user_id       TEXT NOT NULL,
    -- In a row, about; 0 for webhooks, whose attempts are not counted.
    failures      INTEGER NOT NULL,
    failing_since INTEGER NOT NULL,
    -- When the streak ended; null while it lasts.
    recovered_at  INTEGER,
    -- Of the last failure.
    error         TEXT NOT NULL,
    -- Whether the user was last told that it fails, and when that was told; null before the first message.
    reported      INTEGER NOT NULL,
    reported_at   INTEGER,
    -- When the job looks at it next; null when there is nothing to tell.
    due_at        INTEGER
) WITHOUT ROWID;
CREATE INDEX subject_health_by_due ON subject_health (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX subject_health_by_user ON subject_health (user_id, subject_id);

-- The settings of users that differ from the default, and the pace of their messages.
CREATE TABLE notification_settings (
    user_id         TEXT NOT NULL PRIMARY KEY,
    -- Null: if the server can send mail.
    mail            INTEGER,
    -- Null: to the address of the account.
    mail_to         TEXT,
    webhook_url     TEXT,
    -- The secrets that sign requests to the webhook, sealed. The one before the last rotation signs too until previous_until.
    secret          TEXT,
    previous_secret TEXT,
    previous_until  INTEGER,
    -- JSON: the kinds to report, and when.
    rules           TEXT NOT NULL,
    -- No message is written before, and the pause before the one after it.
    next_message_at INTEGER NOT NULL,
    pause_ms        INTEGER NOT NULL,
    -- Test messages since some time.
    tests           INTEGER NOT NULL,
    tests_since     INTEGER NOT NULL
) WITHOUT ROWID;

-- === Data stores ===

-- Key-value stores that the sources of a user share.
CREATE TABLE data_stores (
    user_id    TEXT NOT NULL,
    name       TEXT NOT NULL,
    -- Of all its entries together.
    bytes      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, name)
) WITHOUT ROWID;

CREATE TABLE data_store_entries (
    user_id    TEXT NOT NULL,
    store      TEXT NOT NULL,
    key        TEXT NOT NULL,
    bytes      INTEGER NOT NULL,
    -- Null when it stays.
    expires_at INTEGER,
    value      TEXT NOT NULL,
    PRIMARY KEY (user_id, store, key)
);
CREATE INDEX data_store_entries_by_expiry ON data_store_entries (expires_at) WHERE expires_at IS NOT NULL;

-- === Logs and activity ===

-- Log lines are paged by seq, so one must never be used twice: hence AUTOINCREMENT.
CREATE TABLE logs (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    emitter_id    TEXT NOT NULL,
    invocation_id TEXT,
    ts            INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    level         TEXT NOT NULL,
    message       TEXT NOT NULL
);
CREATE INDEX logs_by_source ON logs (emitter_id, seq);

-- What happened in each hour, in UTC; hours count from the epoch. One row for each emitter.
CREATE TABLE activity (
    emitter_id  TEXT NOT NULL,
    hour        INTEGER NOT NULL,
    events      INTEGER NOT NULL,
    errors      INTEGER NOT NULL,
    invocations INTEGER NOT NULL,
    compute_ms  INTEGER NOT NULL,
    -- Ticks that were late, and ticks that never ran.
    late_ticks  INTEGER NOT NULL DEFAULT 0,
    skipped_ticks INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (emitter_id, hour)
) WITHOUT ROWID;
CREATE INDEX activity_with_errors ON activity (emitter_id, hour, errors) WHERE errors > 0;
CREATE INDEX activity_by_hour ON activity (hour);

-- The same for the whole account, so that its chart reads as many rows as it has points, however many sources there
-- are.
CREATE TABLE user_activity (
    user_id     TEXT NOT NULL,
    hour        INTEGER NOT NULL,
    events      INTEGER NOT NULL,
    errors      INTEGER NOT NULL,
    invocations INTEGER NOT NULL,
    compute_ms  INTEGER NOT NULL,
    -- Ticks that were late, and ticks that never ran.
    late_ticks  INTEGER NOT NULL DEFAULT 0,
    skipped_ticks INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, hour)
) WITHOUT ROWID;
CREATE INDEX user_activity_by_hour ON user_activity (hour);

-- Counts of commits. A commit only inserts here, so that commits of one account do not wait for each other at the rows of
-- the account. A job adds them to `activity`, `user_activity` and `usage`; until then the views below add them up.
CREATE TABLE count_ledger (
    id          INTEGER PRIMARY KEY,
    user_id     TEXT NOT NULL,
    -- Null when the emitter was removed.
    emitter_id  TEXT,
    hour        INTEGER NOT NULL,
    events      INTEGER NOT NULL,
    errors      INTEGER NOT NULL,
    invocations INTEGER NOT NULL,
    compute_ms  INTEGER NOT NULL,
    -- Ticks that were late, and ticks that never ran.
    late_ticks  INTEGER NOT NULL,
    skipped_ticks INTEGER NOT NULL,
    -- The rows that the commit added.
    kept_events INTEGER NOT NULL,
    kept_errors INTEGER NOT NULL,
    kept_logs   INTEGER NOT NULL
);

-- How many events, errors and log lines each emitter has, without those in the ledger. The numbers may be negative: rows can be
-- deleted while they are in the ledger.
CREATE TABLE kept_rows (
    emitter_id TEXT NOT NULL PRIMARY KEY,
    events     INTEGER NOT NULL,
    errors     INTEGER NOT NULL,
    logs       INTEGER NOT NULL
) WITHOUT ROWID;

CREATE VIEW kept_counts AS
    SELECT emitter_id, events, errors, logs FROM kept_rows
    UNION ALL
    SELECT emitter_id, kept_events, kept_errors, kept_logs FROM count_ledger
    WHERE emitter_id IS NOT NULL;

CREATE VIEW activity_counts AS
    SELECT emitter_id, hour, events, errors, invocations, compute_ms, late_ticks, skipped_ticks FROM activity
    UNION ALL
    SELECT emitter_id, hour, events, errors, invocations, compute_ms, late_ticks, skipped_ticks FROM count_ledger
    WHERE emitter_id IS NOT NULL;

CREATE VIEW user_activity_counts AS
    SELECT user_id, hour, events, errors, invocations, compute_ms, late_ticks, skipped_ticks FROM user_activity
    UNION ALL
    SELECT user_id, hour, events, errors, invocations, compute_ms, late_ticks, skipped_ticks FROM count_ledger;

CREATE VIEW usage_counts AS
    SELECT user_id, day, invocations, compute_ms FROM usage
    UNION ALL
    SELECT user_id, hour / 24, invocations, compute_ms FROM count_ledger;

-- Who changed what. Rows outlive the users and targets that they name.
CREATE TABLE audit_log (
    id            TEXT NOT NULL PRIMARY KEY,
    -- The account that was changed; null when it is unknown, as after a failed sign-in.
    user_id       TEXT,
    -- The user who did it, and the name at that time; null when it is unknown.
    actor_id      TEXT,
    actor_name    TEXT NOT NULL,
    credential    TEXT NOT NULL,
    -- The named key, if it was one.
    credential_id TEXT,
    -- The address of the client; null when it was the server itself.
    address       TEXT,
    action        TEXT NOT NULL,
    target_kind   TEXT NOT NULL,
    target_id     TEXT NOT NULL,
    target_name   TEXT NOT NULL,
    -- JSON, without secrets and values of props.
    details       TEXT NOT NULL,
    created_at    INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX audit_log_by_user ON audit_log (user_id, created_at, id);
CREATE INDEX audit_log_by_time ON audit_log (created_at, id);

-- === Server ===

-- The servers that use this database, each from its start to some time after its end. A lease that has run out makes room for
-- others. Times are those of the database's clock.
CREATE TABLE nodes (
    -- Random, and new for each start.
    incarnation TEXT NOT NULL PRIMARY KEY,
    name        TEXT NOT NULL,
    -- Where other nodes reach it, as host and port; null when it does not listen for them.
    address     TEXT,
    public_url  TEXT NOT NULL,
    state       TEXT NOT NULL,
    version     TEXT NOT NULL,
    -- Nodes of different protocols do not work together.
    protocol    INTEGER NOT NULL,
    -- Whether it works as the only one. Others do not start work as long as it does.
    alone       INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
) WITHOUT ROWID;

-- Replies for clients of a node that could not be reached.
CREATE TABLE replies (
    node          TEXT NOT NULL,
    invocation_id TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    reply         TEXT NOT NULL,
    PRIMARY KEY (node, invocation_id)
) WITHOUT ROWID;

-- The latest time that the server has recorded, in one row.
CREATE TABLE server_clock (
    id        INTEGER NOT NULL PRIMARY KEY,
    latest_ms INTEGER NOT NULL
);

-- The key that seals all secrets of this database, itself sealed by the master key, in one row.
CREATE TABLE data_key (
    id     INTEGER NOT NULL PRIMARY KEY,
    sealed TEXT NOT NULL
);
