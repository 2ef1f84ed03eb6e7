-- Apps that components authenticate to, as the operator registered them.
CREATE TABLE apps (
    id            TEXT NOT NULL PRIMARY KEY,
    slug          TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    description   TEXT,
    auth          TEXT NOT NULL,
    secret_sealed TEXT,
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
    verifier_sealed   TEXT,
    redirect_to       TEXT,
    stage             TEXT NOT NULL,
    error             TEXT,
    created_at        INTEGER NOT NULL,
    expires_at        INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX connections_by_age ON connections (created_at);
