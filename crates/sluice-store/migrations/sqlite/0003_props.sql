-- What a source's component declared in additionalProps, as it stood when the source was deployed.
ALTER TABLE sources ADD COLUMN dynamic_props TEXT NOT NULL DEFAULT '[]';

-- Answers of additionalProps, for the form that asked to refer to.
CREATE TABLE dynamic_props (
    id           TEXT NOT NULL PRIMARY KEY,
    user_id      TEXT NOT NULL,
    component_id TEXT NOT NULL,
    props        TEXT NOT NULL,
    created_at   INTEGER NOT NULL
);
CREATE INDEX dynamic_props_by_age ON dynamic_props (created_at);
