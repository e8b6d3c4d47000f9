-- Schema 2: what the automatic archive took, so that a longer limit can give it back and Undo takes back one run.
-- The time of the run; NULL: not archived by it; 0: brought back by the user, so not taken again.
ALTER TABLE lineages ADD COLUMN swept_at INTEGER;
CREATE INDEX lineages_swept ON lineages (swept_at, last_active) WHERE swept_at IS NOT NULL;
