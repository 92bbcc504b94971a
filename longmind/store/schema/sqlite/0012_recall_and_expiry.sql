-- Format 12: what is recalled, what expires, and states with a name.

-- When frames and assertions expire. From then on reads do not show them, and maintenance erases them.
CREATE TABLE frame_expiry (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id) ON DELETE CASCADE,
  expires_at    INTEGER NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT;
CREATE INDEX frame_expiry_by_time ON frame_expiry(expires_at);

CREATE TABLE fact_expiry (
  assertion_id  INTEGER PRIMARY KEY REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  expires_at    INTEGER NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT;
CREATE INDEX fact_expiry_by_time ON fact_expiry(expires_at);

-- From when, and until when, an assertion does not count: it has expired, or was made after the state to which
-- the store went back.
CREATE TABLE fact_lapse (
  assertion_id  INTEGER NOT NULL REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  since         INTEGER NOT NULL,
  until         INTEGER,
  reason        TEXT NOT NULL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (assertion_id, since),
  CHECK (until IS NULL OR until > since)
) STRICT, WITHOUT ROWID;

-- A name that an entity lost may be given to it again: each time is a row of its own.
DROP INDEX fact_alias_once;
CREATE UNIQUE INDEX fact_alias_once ON fact_alias(entity_id, alias_norm, (coalesce(frame_id, 0)))
  WHERE until IS NULL;

-- Names for system times, and to which of them the store went back when.
CREATE TABLE store_snapshot (
  name          TEXT PRIMARY KEY,
  system        INTEGER NOT NULL,
  note          TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE store_rollback (
  restored_at   INTEGER PRIMARY KEY,
  system        INTEGER NOT NULL,
  checksum      INTEGER NOT NULL,
  CHECK (system < restored_at)
) STRICT;

-- For how long a frame was retired that a restored snapshot brought back.
CREATE TABLE frame_absence (
  frame_id      INTEGER NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  since         INTEGER NOT NULL,
  until         INTEGER NOT NULL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (frame_id, since),
  CHECK (until > since)
) STRICT, WITHOUT ROWID;
CREATE INDEX frame_absence_by_end ON frame_absence(until);

CREATE TRIGGER frame_absence_is_immutable BEFORE UPDATE ON frame_absence
BEGIN SELECT RAISE(ABORT, 'history is kept'); END;
CREATE TRIGGER frame_absence_is_kept BEFORE DELETE ON frame_absence
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'history is removed by erase alone'); END;

-- A retired frame comes back only if it is written down for how long it was away.
DROP TRIGGER frame_retires_once;
CREATE TRIGGER frame_retires_once BEFORE UPDATE OF retired_at, superseded_by ON frame
WHEN OLD.retired_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM store_erasing)
  AND NOT (NEW.retired_at IS NULL AND EXISTS (
    SELECT 1 FROM frame_absence a WHERE a.frame_id = OLD.frame_id AND a.since = OLD.retired_at))
BEGIN SELECT RAISE(ABORT, 'a retired frame stays retired'); END;

-- Small copies of pictures, and the vectors of pictures by the model that made them. Neither can be made anew from the
-- store: the files lie elsewhere, and may be gone.
CREATE TABLE media_thumbnail (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id) ON DELETE CASCADE,
  media_type    TEXT NOT NULL,
  width         INTEGER NOT NULL,
  height        INTEGER NOT NULL,
  picture       BLOB NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT;

CREATE TABLE media_vector (
  frame_id      INTEGER NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  embedder      TEXT NOT NULL,
  vector        BLOB NOT NULL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (frame_id, embedder)
) STRICT, WITHOUT ROWID;
CREATE INDEX media_vector_by_embedder ON media_vector(embedder);

-- What is done of a source that takes long to read: parts of a recording, by the step and the millisecond. Gone as soon
-- as the source is read.
CREATE TABLE ingest_progress (
  space         TEXT NOT NULL,
  uri           TEXT NOT NULL,
  step          TEXT NOT NULL,
  number        INTEGER NOT NULL,
  result        TEXT NOT NULL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (space, uri, step, number)
) STRICT, WITHOUT ROWID;

-- Links between objects, of one space or of two. An end names a part of a space and the id of an object there.
CREATE TABLE space_link (
  link_id       INTEGER PRIMARY KEY,
  space         TEXT NOT NULL,
  object_id     TEXT NOT NULL,
  to_space      TEXT NOT NULL,
  to_object_id  TEXT NOT NULL,
  relation      TEXT NOT NULL,
  since         INTEGER NOT NULL,
  until         INTEGER,
  created_at    INTEGER NOT NULL,
  checksum      INTEGER NOT NULL,
  CHECK (until IS NULL OR until > since)
) STRICT;
CREATE INDEX space_link_by_object ON space_link(space, object_id);
CREATE INDEX space_link_by_target ON space_link(to_space, to_object_id);

-- Who gave a vote: of one caller's votes on the same pair, only the newest counts. Votes of earlier formats have
-- no row here, and count each.
CREATE TABLE experience_voter (
  vote_id       TEXT NOT NULL PRIMARY KEY REFERENCES experience_vote(vote_id) ON DELETE CASCADE,
  voter         TEXT NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

DROP VIEW global_utility;
CREATE VIEW global_utility AS
SELECT v.memory_id, avg(v.vote) AS utility_mean, count(*) AS observations
FROM experience_vote v LEFT JOIN experience_voter w ON w.vote_id = v.vote_id
WHERE NOT EXISTS (
  SELECT 1 FROM experience_vote n JOIN experience_voter m ON m.vote_id = n.vote_id
  WHERE n.memory_id = v.memory_id AND n.problem_id = v.problem_id AND m.voter = w.voter
    AND n.recorded_at > v.recorded_at)
GROUP BY v.memory_id;

CREATE TRIGGER experience_voter_is_immutable BEFORE UPDATE ON experience_voter
BEGIN SELECT RAISE(ABORT, 'votes are never edited'); END;
CREATE TRIGGER experience_voter_is_kept BEFORE DELETE ON experience_voter
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'votes are removed by erase alone'); END;
