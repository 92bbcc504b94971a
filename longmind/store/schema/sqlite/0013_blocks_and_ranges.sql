-- Format 13: what is written in parts, and what is kept in blocks and ranges.

-- The frames of a partition by id, and those of scope global: a search reads only its own.
CREATE INDEX frame_by_partition ON frame(space);
CREATE INDEX frame_of_all ON frame(scope) WHERE scope = 'global';

-- Times that the text of a frame speaks of, as half-open ranges of unix milliseconds, a bound missing where the text
-- leaves it open. Relative ones are counted from the frame's own time. Derived, `reindex` makes it anew.
CREATE TABLE frame_time (
  frame_id      INTEGER NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  number        INTEGER NOT NULL,
  since         INTEGER,
  until         INTEGER,
  PRIMARY KEY (frame_id, number),
  CHECK (since IS NOT NULL OR until IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- Documents that are too large for one transaction. Their frames are committed in parts, each a range of ids, and no
-- read shows them until the last transaction publishes all ranges at once. `holder` is who writes them until then.
CREATE TABLE frame_staged (
  first_id      INTEGER PRIMARY KEY,
  last_id       INTEGER NOT NULL,
  frame_id      INTEGER NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  published_at  INTEGER,
  holder        TEXT,
  checksum      INTEGER NOT NULL,
  CHECK (last_id >= first_id),
  CHECK ((published_at IS NULL) = (holder IS NOT NULL))
) STRICT;
CREATE INDEX frame_staged_by_document ON frame_staged(frame_id);
CREATE INDEX frame_staged_by_time ON frame_staged(published_at);

CREATE TRIGGER frame_staged_is_published_once BEFORE UPDATE ON frame_staged
WHEN OLD.published_at IS NOT NULL OR NEW.first_id <> OLD.first_id OR NEW.last_id <> OLD.last_id
  OR NEW.frame_id <> OLD.frame_id
BEGIN SELECT RAISE(ABORT, 'a document is published once'); END;
CREATE TRIGGER frame_staged_is_kept BEFORE DELETE ON frame_staged
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'history is removed by erase alone'); END;

-- What searches keep in memory of a partition, stored as it is kept: of a range of its ids, as of a revision.
CREATE TABLE segment_block (
  segment       TEXT NOT NULL,
  kind          TEXT NOT NULL,
  first_id      INTEGER NOT NULL,
  last_id       INTEGER NOT NULL,
  revision      INTEGER NOT NULL,
  checksum      BLOB NOT NULL,
  data          BLOB NOT NULL,
  PRIMARY KEY (segment, kind, first_id)
) STRICT;
