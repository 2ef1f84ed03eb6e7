-- Numbers the commits of each source and workflow, so that a commit whose reply was lost is recognized.
ALTER TABLE emitter_state ADD COLUMN commit_no BIGINT NOT NULL DEFAULT 0;
