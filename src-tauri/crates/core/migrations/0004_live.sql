-- Schema 4: sessions that are continued here.
-- How long a tool ran. When a row was taken back (undo, an edited prompt): it is kept, and nobody is shown or told of it.
ALTER TABLE messages ADD COLUMN duration_ms INTEGER;
ALTER TABLE messages ADD COLUMN undone_at INTEGER;

-- A turn that is under way. One that is found at opening was cut off by the end of the process.
CREATE TABLE turns (
  lineage   INTEGER PRIMARY KEY REFERENCES lineages (id) ON DELETE CASCADE,
  began_at  INTEGER NOT NULL,
  text      TEXT NOT NULL,       -- of the answer that is being written, kept now and then
  reasoning TEXT NOT NULL
) STRICT;

-- What the user has said into a session that is not in its transcript yet: for the end of the turn, or into it.
CREATE TABLE waiting (
  lineage INTEGER PRIMARY KEY REFERENCES lineages (id) ON DELETE CASCADE,
  queued  TEXT NOT NULL,
  steered TEXT NOT NULL
) STRICT;

-- What a lineage has used.
CREATE TABLE usage (
  lineage       INTEGER PRIMARY KEY REFERENCES lineages (id) ON DELETE CASCADE,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  calls         INTEGER NOT NULL,
  context_used  INTEGER NOT NULL,  -- tokens of the last request and its answer
  cost_nano     INTEGER            -- 1e-9 of the currency of the prices; NULL: without prices
) STRICT;

-- The model of a lineage that does not use the one of the settings.
CREATE TABLE choices (
  lineage  INTEGER PRIMARY KEY REFERENCES lineages (id) ON DELETE CASCADE,
  base_url TEXT NOT NULL,
  model    TEXT NOT NULL
) STRICT;

-- What the user allowed for good: exactly this tool with this text in this folder.
CREATE TABLE approvals (
  workspace TEXT NOT NULL,
  tool      TEXT NOT NULL,
  text      TEXT NOT NULL,
  given_at  INTEGER NOT NULL,
  PRIMARY KEY (workspace, tool, text)
) STRICT, WITHOUT ROWID;

-- The file that a tool's row changed.
CREATE TABLE changes (
  message   INTEGER PRIMARY KEY REFERENCES messages (seq) ON DELETE CASCADE,
  path      TEXT NOT NULL,
  diff      TEXT NOT NULL,
  undone_at INTEGER,
  before    BLOB,                -- NULL: there was no file
  after     BLOB                 -- NULL: too large to be taken back
) STRICT;
