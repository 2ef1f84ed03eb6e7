-- What an import of a tree stored belongs to the registry, and is not among what its user saved.
ALTER TABLE components ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
-- False for what was imported and not yet used: its packages were not looked up, and its shape was read without them.
ALTER TABLE components ADD COLUMN resolved INTEGER NOT NULL DEFAULT 1;

-- All versions of what was published, by a user into the account or by the operator for the whole server.
ALTER TABLE registry RENAME TO registry_of_keys;
CREATE TABLE registry (
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
    PRIMARY KEY (shelf, key, version)
);
CREATE INDEX registry_by_component ON registry (component_id);
CREATE INDEX registry_by_shelf ON registry (shelf) WHERE newest;
INSERT INTO registry (shelf, key, version, newest, component_id, app, kind, name, description, published_at)
    SELECT 'server', r.key, c.version, 1, r.component_id,
           CASE WHEN instr(r.key, '-') > 1 THEN substr(r.key, 1, instr(r.key, '-') - 1) END,
           json_extract(c.shape, '$.kind'), c.name, json_extract(c.shape, '$.description'), r.published_at
    FROM registry_of_keys r JOIN components c ON c.id = r.component_id;
DROP TABLE registry_of_keys;

-- What an import of a tree of components found in each of its files, so that the next one can skip what has not changed.
CREATE TABLE imports (
    tree    TEXT NOT NULL,
    path    TEXT NOT NULL,
    -- JSON: the files that the component was made of, each with the hash of its contents.
    files   TEXT NOT NULL,
    -- What was registered, even when the last import failed.
    key     TEXT,
    version TEXT,
    error   TEXT,
    PRIMARY KEY (tree, path)
) WITHOUT ROWID;
CREATE INDEX imports_by_key ON imports (key);
