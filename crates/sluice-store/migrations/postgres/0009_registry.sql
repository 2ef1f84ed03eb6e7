-- What an import of a tree stored belongs to the registry, and is not among what its user saved.
ALTER TABLE components ADD COLUMN imported BOOLEAN NOT NULL DEFAULT FALSE;
-- False for what was imported and not yet used: its packages were not looked up, and its shape was read without them.
ALTER TABLE components ADD COLUMN resolved BOOLEAN NOT NULL DEFAULT TRUE;

-- All versions of what was published, by a user into the account or by the operator for the whole server.
ALTER TABLE registry RENAME TO registry_of_keys;
CREATE TABLE registry (
    -- The id of a user, or 'server'.
    shelf        TEXT COLLATE "C" NOT NULL,
    key          TEXT COLLATE "C" NOT NULL,
    version      TEXT COLLATE "C" NOT NULL,
    -- Whether this version is the newest of its key on its shelf.
    newest       BOOLEAN NOT NULL,
    component_id TEXT COLLATE "C" NOT NULL,
    app          TEXT COLLATE "C",
    kind         TEXT COLLATE "C" NOT NULL,
    name         TEXT COLLATE "C" NOT NULL,
    description  TEXT COLLATE "C",
    published_at BIGINT NOT NULL,
    PRIMARY KEY (shelf, key, version)
);
CREATE INDEX registry_by_component ON registry (component_id);
CREATE INDEX registry_by_shelf ON registry (shelf) WHERE newest;
-- What declarations of props hold may have \u0000, which PostgreSQL cannot read.
INSERT INTO registry (shelf, key, version, newest, component_id, app, kind, name, description, published_at)
    SELECT 'server', r.key, c.version, TRUE, r.component_id,
           CASE WHEN strpos(r.key, '-') > 1 THEN split_part(r.key, '-', 1) END,
           c.shape ->> 'kind', c.name, c.shape ->> 'description', r.published_at
    FROM registry_of_keys r
    JOIN (SELECT id, version, name, replace(shape, '\u0000', '\ufffd')::json AS shape FROM components) c
        ON c.id = r.component_id;
DROP TABLE registry_of_keys;

-- What an import of a tree of components found in each of its files, so that the next one can skip what has not changed.
CREATE TABLE imports (
    tree    TEXT COLLATE "C" NOT NULL,
    path    TEXT COLLATE "C" NOT NULL,
    -- JSON: the files that the component was made of, each with the hash of its contents.
    files   TEXT COLLATE "C" NOT NULL,
    -- What was registered, even when the last import failed.
    key     TEXT COLLATE "C",
    version TEXT COLLATE "C",
    error   TEXT COLLATE "C",
    PRIMARY KEY (tree, path)
);
CREATE INDEX imports_by_key ON imports (key);
