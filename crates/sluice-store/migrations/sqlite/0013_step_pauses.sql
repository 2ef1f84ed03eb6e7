-- What kind of wait followed a step, as JSON; null when none did, and for steps from before this was noted.
ALTER TABLE run_steps ADD COLUMN pause TEXT;
