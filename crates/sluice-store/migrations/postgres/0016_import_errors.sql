-- Errors of an import are a JSON list with message, file, line and column.
ALTER TABLE imports ADD COLUMN errors TEXT NOT NULL DEFAULT '[]';
UPDATE imports SET errors = json_build_array(json_build_object('message', error))::text WHERE error IS NOT NULL;
ALTER TABLE imports DROP COLUMN error;
