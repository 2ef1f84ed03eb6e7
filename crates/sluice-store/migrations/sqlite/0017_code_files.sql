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
-- The link of the code itself. Null for JavaScript in one file.
ALTER TABLE components ADD COLUMN link TEXT;
UPDATE components SET code = built WHERE built IS NOT NULL;
ALTER TABLE components DROP COLUMN built;
