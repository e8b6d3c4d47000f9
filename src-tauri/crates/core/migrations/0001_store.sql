-- Schema 1. One file per released step; a released step is never edited again.
-- Times are integer milliseconds UTC. Text ids are names, never an order.

-- What the store knows about itself: last_run (when the app last ran).
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL            -- JSON
) STRICT, WITHOUT ROWID;

-- Working folders. `name` is the last part and `parent` the part before it, for labels.
CREATE TABLE folders (
  id     INTEGER PRIMARY KEY,
  path   TEXT NOT NULL UNIQUE,
  name   TEXT NOT NULL,
  parent TEXT NOT NULL
) STRICT;
CREATE INDEX folders_name ON folders (name);

-- One row = one listed thing: a session with everything it continued from.
-- `place` says where it is: 0 active, 1 archived, 2 trash, 3 child of a delegation. One column, so it is in one place.
CREATE TABLE lineages (
  id            INTEGER PRIMARY KEY,
  place         INTEGER NOT NULL CHECK (place BETWEEN 0 AND 3),
  archived      INTEGER NOT NULL CHECK (archived IN (0, 1)),  -- in the trash: where it goes back to
  deleted_at    INTEGER,
  recency       INTEGER NOT NULL UNIQUE,                       -- the key of the list, newest is highest
  created_at    INTEGER NOT NULL,
  last_active   INTEGER NOT NULL,
  message_count INTEGER NOT NULL,                              -- rows a reader sees, dividers apart
  row_count     INTEGER NOT NULL,                              -- rows a reader sees, dividers too
  pin_rank      INTEGER,
  folder        INTEGER REFERENCES folders (id),
  unread        INTEGER NOT NULL DEFAULT 0 CHECK (unread IN (0, 1)),
  open          INTEGER NOT NULL CHECK (open IN (0, 1)),       -- the tip has not ended
  owner         INTEGER REFERENCES lineages (id) ON DELETE CASCADE, -- who delegated it
  tip           TEXT NOT NULL UNIQUE,                          -- sessions.id of the newest session
  title         TEXT,
  head          TEXT NOT NULL DEFAULT '',                      -- for search: title, preview, folder in lower case
  preview       TEXT,
  source        TEXT NOT NULL,
  model         TEXT,
  git_branch    TEXT,
  CHECK ((place = 2) = (deleted_at IS NOT NULL)),
  CHECK (place <> 0 OR archived = 0),
  CHECK (place <> 1 OR archived = 1),
  CHECK (pin_rank IS NULL OR place = 0)
) STRICT;

-- The list is a walk of one of these; what it filters by is in the index, the row is fetched only when it is shown.
CREATE INDEX lineages_recent ON lineages (place, recency, message_count, pin_rank, folder);
CREATE INDEX lineages_said ON lineages (place, recency, pin_rank, folder) WHERE message_count > 0;
CREATE INDEX lineages_created ON lineages (place, created_at, id, message_count, pin_rank, folder);
CREATE INDEX lineages_folder ON lineages (place, folder, recency, message_count, pin_rank);
CREATE INDEX lineages_pinned ON lineages (pin_rank) WHERE pin_rank IS NOT NULL;
CREATE INDEX lineages_trash ON lineages (deleted_at) WHERE place = 2;
CREATE INDEX lineages_heads ON lineages (place, recency, head);
CREATE INDEX lineages_owner ON lineages (owner) WHERE owner IS NOT NULL;
-- Titles are unique among active and archived.
CREATE UNIQUE INDEX lineages_title ON lineages (title) WHERE title IS NOT NULL AND place IN (0, 1);

-- How many lineages are where. Kept by the triggers below, so that no writer can forget it.
CREATE TABLE tallies (
  place  INTEGER NOT NULL,
  folder INTEGER NOT NULL,       -- 0: without a folder
  pinned INTEGER NOT NULL,
  empty  INTEGER NOT NULL,       -- without a message a reader sees
  n      INTEGER NOT NULL,
  PRIMARY KEY (place, folder, pinned, empty)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER lineages_counted AFTER INSERT ON lineages BEGIN
  INSERT INTO tallies VALUES (new.place, ifnull(new.folder, 0), new.pin_rank IS NOT NULL, new.message_count = 0, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER lineages_uncounted AFTER DELETE ON lineages BEGIN
  UPDATE tallies SET n = n - 1 WHERE place = old.place AND folder = ifnull(old.folder, 0)
    AND pinned = (old.pin_rank IS NOT NULL) AND empty = (old.message_count = 0);
END;
CREATE TRIGGER lineages_recounted AFTER UPDATE OF place, folder, pin_rank, message_count ON lineages BEGIN
  UPDATE tallies SET n = n - 1 WHERE place = old.place AND folder = ifnull(old.folder, 0)
    AND pinned = (old.pin_rank IS NOT NULL) AND empty = (old.message_count = 0);
  INSERT INTO tallies VALUES (new.place, ifnull(new.folder, 0), new.pin_rank IS NOT NULL, new.message_count = 0, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- The sessions of a lineage, oldest first by `position`.
CREATE TABLE sessions (
  seq         INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  lineage     INTEGER NOT NULL REFERENCES lineages (id) ON DELETE CASCADE,
  position    INTEGER NOT NULL,
  relation    TEXT NOT NULL CHECK (relation IN ('root', 'continuation', 'branch', 'delegate')),
  parent      TEXT,              -- sessions.id it came from; may be gone
  source      TEXT NOT NULL,
  model       TEXT,
  started_at  INTEGER NOT NULL,
  ended_at    INTEGER,
  end_reason  TEXT,
  origin_id   TEXT UNIQUE,       -- its id in the store it was imported from
  origin_mark TEXT,              -- what that store held of it, to see whether there is more
  UNIQUE (lineage, position)
) STRICT;

-- Messages. `seq` is the writer's order: 1024 a millisecond, rising within a lineage, so that newest first is one walk.
-- `place` is the row's index among the rows a reader sees; NULL: kept for the model, not shown, counted or found.
CREATE TABLE messages (
  seq           INTEGER PRIMARY KEY,
  lineage       INTEGER NOT NULL REFERENCES lineages (id) ON DELETE CASCADE,
  session       INTEGER NOT NULL REFERENCES sessions (seq) ON DELETE CASCADE,
  place         INTEGER,
  role          TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'notice', 'summary', 'system')),
  id            TEXT NOT NULL UNIQUE,
  created_at    INTEGER NOT NULL,
  call_seq      INTEGER,          -- tool rows: the message that made the call
  call_id       TEXT,
  tool_name     TEXT,
  finish_reason TEXT,
  origin_seq    INTEGER,          -- its number in the store it was imported from; NULL: written here
  text          TEXT NOT NULL,
  tool_calls    TEXT,             -- JSON list of {id, name, arguments}
  notice        TEXT,             -- JSON
  reasoning     TEXT
) STRICT;
CREATE UNIQUE INDEX messages_place ON messages (lineage, place) WHERE place IS NOT NULL;
CREATE INDEX messages_lineage ON messages (lineage, seq);
CREATE INDEX messages_session ON messages (session);
CREATE INDEX messages_media ON messages (lineage)
  WHERE place IS NOT NULL AND role IN ('user', 'assistant') AND instr(text, 'MEDIA:') > 0;

-- Text search: three-letter pieces, so that parts of words and scripts without spaces are found. Holds no copy of the
-- text; follows the rows by triggers, so that it cannot drift from them.
CREATE VIRTUAL TABLE message_search USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE VIEW message_words AS
  SELECT seq, lineage, place, role, id, created_at, text || ifnull(char(10) || tool_name, '') || ifnull((SELECT group_concat(char(10) ||
    ifnull(json_extract(value, '$.name'), '') || ' ' || ifnull(json_extract(value, '$.arguments'), ''), '')
    FROM json_each(tool_calls)), '') AS words
  FROM messages;
CREATE TRIGGER messages_found AFTER INSERT ON messages WHEN new.place IS NOT NULL BEGIN
  INSERT INTO message_search (rowid, text) SELECT seq, words FROM message_words WHERE seq = new.seq;
END;
CREATE TRIGGER messages_lost AFTER DELETE ON messages WHEN old.place IS NOT NULL BEGIN
  DELETE FROM message_search WHERE rowid = old.seq;
END;
CREATE TRIGGER messages_changed AFTER UPDATE OF place, text, tool_name, tool_calls ON messages BEGIN
  DELETE FROM message_search WHERE rowid = old.seq AND old.place IS NOT NULL;
  INSERT INTO message_search (rowid, text)
    SELECT seq, words FROM message_words WHERE seq = new.seq AND new.place IS NOT NULL;
END;

-- Text not yet sent: of a lineage, or of a client's unsaved session.
CREATE TABLE drafts (
  lineage INTEGER UNIQUE REFERENCES lineages (id) ON DELETE CASCADE,
  client  TEXT UNIQUE,
  text    TEXT NOT NULL,
  folder  TEXT,
  CHECK ((lineage IS NULL) <> (client IS NULL))
) STRICT;

-- Origin ids of what was deleted for good: an import never brings them back.
CREATE TABLE tombstones (
  origin_id  TEXT PRIMARY KEY,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
