-- Errors of an import are a JSON list with message, file, line and column.
ALTER TABLE imports ADD COLUMN errors TEXT NOT NULL DEFAULT '[]';
UPDATE imports SET errors = json_array(json_object('message', error)) WHERE error IS NOT NULL;
ALTER TABLE imports DROP COLUMN error;
