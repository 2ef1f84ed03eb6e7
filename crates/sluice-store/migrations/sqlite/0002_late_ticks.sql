-- The last tick of a timer that ran: when it was due, and how much later it was dispatched. Null before the first one.
ALTER TABLE timers ADD COLUMN last_tick_at INTEGER;
ALTER TABLE timers ADD COLUMN lateness_ms INTEGER;

-- Ticks that were late, and ticks that never ran.
ALTER TABLE activity ADD COLUMN late_ticks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE activity ADD COLUMN skipped_ticks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user_activity ADD COLUMN late_ticks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user_activity ADD COLUMN skipped_ticks INTEGER NOT NULL DEFAULT 0;
