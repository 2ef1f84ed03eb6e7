-- What a source's component declared in additionalProps, as it stood when the source was deployed.
ALTER TABLE sources ADD COLUMN dynamic_props TEXT COLLATE "C" NOT NULL DEFAULT '[]';

-- Answers of additionalProps, for the form that asked to refer to.
CREATE TABLE dynamic_props (
    id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    user_id      TEXT COLLATE "C" NOT NULL,
    component_id TEXT COLLATE "C" NOT NULL,
    props        TEXT COLLATE "C" NOT NULL,
    created_at   BIGINT NOT NULL
);
CREATE INDEX dynamic_props_by_age ON dynamic_props (created_at);
