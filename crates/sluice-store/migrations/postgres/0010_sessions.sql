-- People who are signed in to the console. The token in their cookie is known by its fingerprint only.
CREATE TABLE sessions (
    token_fingerprint TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id           TEXT COLLATE "C" NOT NULL,
    created_at        BIGINT NOT NULL,
    -- When it was last used, to the hour.
    used_at           BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
