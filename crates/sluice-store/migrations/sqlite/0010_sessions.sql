-- People who are signed in to the console. The token in their cookie is known by its fingerprint only.
CREATE TABLE sessions (
    token_fingerprint TEXT NOT NULL PRIMARY KEY,
    user_id           TEXT NOT NULL,
    created_at        INTEGER NOT NULL,
    -- When it was last used, to the hour.
    used_at           INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);
