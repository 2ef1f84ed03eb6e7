-- When a run began to wait for its due time: it tells how long the wait is, whatever happens to the clock.
ALTER TABLE runs ADD COLUMN waits_from INTEGER;
DROP INDEX runs_by_due;
CREATE INDEX runs_by_due ON runs (due_at, waits_from) WHERE due_at IS NOT NULL;

-- The latest time that the server has recorded, in one row.
CREATE TABLE server_clock (
    id        INTEGER NOT NULL PRIMARY KEY,
    latest_ms INTEGER NOT NULL
);
