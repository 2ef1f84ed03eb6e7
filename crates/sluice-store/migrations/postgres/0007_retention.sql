-- What a source keeps, where it differs from the server's settings.
ALTER TABLE sources ADD COLUMN max_events BIGINT;
ALTER TABLE sources ADD COLUMN max_age_seconds BIGINT;
CREATE INDEX sources_with_an_age ON sources (id) WHERE max_age_seconds IS NOT NULL;
