-- Format 8: what project spaces derive from their objects. `reindex` makes all of it anew.

-- For each version of an object what an ordering asks of it, so that a recall need not read the object. Open
-- versions have the largest `until` there is, and lie together. `place` is the folded path; `rules` names how
-- the row was made; `numbers` are integers of 8 bytes: frame, last chunk, relevance, pin, whether the summaries
-- say all of the raw text, created, updated. `words` are hashes of 8 bytes, with a byte of `fields` for each
-- that says where the word stands.
CREATE TABLE space_words (
  space         TEXT NOT NULL,
  until         INTEGER NOT NULL,
  frame_id      INTEGER NOT NULL,
  since         INTEGER NOT NULL,
  object_id     TEXT NOT NULL,
  place         TEXT NOT NULL,
  rules         TEXT NOT NULL,
  numbers       BLOB NOT NULL,
  words         BLOB NOT NULL,
  fields        BLOB NOT NULL,
  PRIMARY KEY (space, until, frame_id)
) STRICT, WITHOUT ROWID;

-- Objects of the same hash are listed by id.
DROP INDEX space_object_hash;
CREATE INDEX space_object_twins ON space_object(space, hash, object_id) WHERE until IS NULL;

-- Only open versions: an index over all of them draws SQLite away from better ones.
DROP INDEX space_object_since;
CREATE INDEX space_object_opened ON space_object(space, since) WHERE until IS NULL;
