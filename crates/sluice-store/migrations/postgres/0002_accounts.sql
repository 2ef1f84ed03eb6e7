-- Apps that components authenticate to, as the operator registered them.
CREATE TABLE apps (
    id            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    slug          TEXT COLLATE "C" NOT NULL UNIQUE,
    name          TEXT COLLATE "C" NOT NULL,
    description   TEXT COLLATE "C",
    auth          TEXT COLLATE "C" NOT NULL,
    secret_sealed TEXT COLLATE "C",
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

-- Users' credentials for apps. The version counts every change of the credentials or the health.
CREATE TABLE accounts (
    id                 TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id            TEXT COLLATE "C" NOT NULL,
    app_id             TEXT COLLATE "C" NOT NULL,
    name               TEXT COLLATE "C" NOT NULL,
    credentials_sealed TEXT COLLATE "C" NOT NULL,
    expires_at         BIGINT,
    -- Null while the account is healthy.
    dead_reason        TEXT COLLATE "C",
    version            BIGINT NOT NULL,
    -- Until then somebody is renewing the credentials, or all are to leave the provider in peace.
    renewing_until     BIGINT,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL
);
CREATE INDEX accounts_by_age ON accounts (user_id, created_at, id);
CREATE INDEX accounts_by_app ON accounts (app_id);

-- Accounts that are being connected in a browser. The state is known by its fingerprint only.
CREATE TABLE connections (
    id                TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    state_fingerprint TEXT COLLATE "C" NOT NULL UNIQUE,
    user_id           TEXT COLLATE "C" NOT NULL,
    app_id            TEXT COLLATE "C" NOT NULL,
    -- The account to renew, or the one that was made; null before that.
    account_id        TEXT COLLATE "C",
    name              TEXT COLLATE "C",
    verifier_sealed   TEXT COLLATE "C",
    redirect_to       TEXT COLLATE "C",
    stage             TEXT COLLATE "C" NOT NULL,
    error             TEXT COLLATE "C",
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL
);
CREATE INDEX connections_by_age ON connections (created_at);
