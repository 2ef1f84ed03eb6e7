-- Key-value stores that the sources of a user share.
CREATE TABLE data_stores (
    user_id    TEXT COLLATE "C" NOT NULL,
    name       TEXT COLLATE "C" NOT NULL,
    -- Of all its entries together.
    bytes      BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, name)
);

CREATE TABLE data_store_entries (
    user_id    TEXT COLLATE "C" NOT NULL,
    store      TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    bytes      BIGINT NOT NULL,
    -- Null when it stays.
    expires_at BIGINT,
    value      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, store, key)
);
CREATE INDEX data_store_entries_by_expiry ON data_store_entries (expires_at) WHERE expires_at IS NOT NULL;
