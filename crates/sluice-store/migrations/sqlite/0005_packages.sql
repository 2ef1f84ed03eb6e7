-- The JavaScript that runs, where it is not the code itself.
ALTER TABLE components ADD COLUMN built TEXT;
-- JSON: which npm packages the code runs with. Null when it names none.
ALTER TABLE components ADD COLUMN packages TEXT;
