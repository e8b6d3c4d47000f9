-- Schema 3: where the listener left an audio or video. Hangs on the lineage as a draft does; dropped, nothing else misses it.
CREATE TABLE positions (
  lineage   INTEGER NOT NULL REFERENCES lineages (id) ON DELETE CASCADE,
  target    TEXT NOT NULL,                          -- as the MEDIA: tag spells it
  at_ms     INTEGER NOT NULL CHECK (at_ms > 0),     -- from its start
  heard_at  INTEGER NOT NULL,                       -- when it was left there
  PRIMARY KEY (lineage, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX positions_oldest ON positions (heard_at);
