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
