-- Secrets are sealed. The one before the last rotation signs too until previous_until.
CREATE TABLE webhooks (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id         TEXT COLLATE "C" NOT NULL,
    name            TEXT COLLATE "C",
    description     TEXT COLLATE "C",
    url             TEXT COLLATE "C" NOT NULL,
    active          BOOLEAN NOT NULL,
    concurrency     BIGINT NOT NULL,
    secret          TEXT COLLATE "C" NOT NULL,
    previous_secret TEXT COLLATE "C",
    previous_until  BIGINT,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL
);
CREATE INDEX webhooks_by_age ON webhooks (user_id, created_at, id);

-- The emitter is an id, `dc_*`, `p_*`, or `*` for an auto-subscription, which stands for the rows
-- that emitters get when they are created. The event name is what was given.
CREATE TABLE subscriptions (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id     TEXT COLLATE "C" NOT NULL,
    emitter_id  TEXT COLLATE "C" NOT NULL,
    event_name  TEXT COLLATE "C" NOT NULL,
    listener_id TEXT COLLATE "C" NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX subscriptions_by_emitter
    ON subscriptions (emitter_id, user_id, event_name, listener_id);
CREATE INDEX subscriptions_by_listener ON subscriptions (listener_id);
CREATE INDEX subscriptions_by_user ON subscriptions (user_id, created_at, id);

-- What deliveries carry: a copy of the event, because events are pruned and deleted while
-- deliveries are still tried and replayed. Shared by the deliveries to all webhooks.
CREATE TABLE payloads (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    emitter_id TEXT COLLATE "C" NOT NULL,
    event_id   TEXT COLLATE "C" NOT NULL,
    channel    TEXT COLLATE "C" NOT NULL,
    data       TEXT COLLATE "C" NOT NULL
);

-- The outbox, and what became of it. An id is `dlv_`, the id of the payload and the tail of the webhook's id, so
-- that ids follow the order of commits and the deliveries of a payload lie side by side.
CREATE TABLE deliveries (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    webhook_id TEXT COLLATE "C" NOT NULL,
    payload_id TEXT COLLATE "C" NOT NULL,
    state      TEXT COLLATE "C" NOT NULL,
    -- When to try next; null when it is over.
    due_at     BIGINT,
    -- Tries since it was made or last replayed; the attempts, as JSON, have all.
    tries      BIGINT NOT NULL,
    attempts   TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX deliveries_by_due ON deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_by_age ON deliveries (webhook_id, created_at, id);

-- Events that wait for their time; they are listed under this id until then.
CREATE TABLE held_events (
    source_id TEXT COLLATE "C" NOT NULL,
    ms        BIGINT NOT NULL,
    seq       BIGINT NOT NULL,
    -- Null when its time has come and its source has it among its work.
    due_at    BIGINT,
    depth     BIGINT NOT NULL,
    PRIMARY KEY (source_id, ms, seq)
);
CREATE INDEX held_events_by_due ON held_events (due_at) WHERE due_at IS NOT NULL;

-- How many events in a row led here, each caused by the one before.
ALTER TABLE inbox ADD COLUMN depth BIGINT NOT NULL DEFAULT 0;
