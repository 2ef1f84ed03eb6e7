-- What a source keeps, where it differs from the server's settings.
ALTER TABLE sources ADD COLUMN max_events INTEGER;
ALTER TABLE sources ADD COLUMN max_age_seconds INTEGER;
CREATE INDEX sources_with_an_age ON sources (id) WHERE max_age_seconds IS NOT NULL;
