-- Format 7: project spaces. An object is a frame with a name of its own and a place in its space.
-- Rows are dated (since, until on the system axis); created_at and updated_at are the clock's readings.

CREATE TABLE space_record (
  space         TEXT NOT NULL,
  since         INTEGER NOT NULL,
  until         INTEGER,
  metadata      TEXT NOT NULL,
  policy        TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (space, since),
  CHECK (until IS NULL OR until > since)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX space_record_open ON space_record(space) WHERE until IS NULL;

-- The raw text is the first raw_bytes bytes of the frame's text; chunks are JSON: [id, start, end] each.
CREATE TABLE space_object (
  space         TEXT NOT NULL,
  object_id     TEXT NOT NULL,
  since         INTEGER NOT NULL,
  until         INTEGER,
  frame_id      INTEGER NOT NULL REFERENCES frame(frame_id),
  path          TEXT NOT NULL,
  kind          TEXT NOT NULL,
  relevance     TEXT NOT NULL CHECK (relevance IN ('high', 'medium', 'low')),
  pinned        INTEGER NOT NULL CHECK (pinned IN (0, 1)),
  tags          TEXT NOT NULL,
  summary_micro TEXT NOT NULL,
  summary_short TEXT NOT NULL,
  summary_long  TEXT NOT NULL,
  metadata      TEXT NOT NULL,
  hash          TEXT NOT NULL,
  raw_bytes     INTEGER NOT NULL,
  chunks        TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (space, object_id, since),
  CHECK (until IS NULL OR until > since)
) STRICT;

CREATE UNIQUE INDEX space_object_open ON space_object(space, object_id) WHERE until IS NULL;
CREATE UNIQUE INDEX space_object_path ON space_object(space, path) WHERE until IS NULL;
CREATE INDEX space_object_hash ON space_object(space, hash) WHERE until IS NULL;
CREATE INDEX space_object_since ON space_object(space, since);
CREATE INDEX space_object_until ON space_object(space, until) WHERE until IS NOT NULL;
CREATE INDEX space_object_frame ON space_object(frame_id);

-- What was done to a space as a whole, and to objects by its rules. An erased object leaves no name here.
CREATE TABLE space_audit (
  audit_id      INTEGER PRIMARY KEY,
  space         TEXT NOT NULL,
  action        TEXT NOT NULL,
  object_id     TEXT,
  detail        TEXT NOT NULL,
  at            INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT;

CREATE INDEX space_audit_by_space ON space_audit(space, audit_id);
CREATE INDEX space_audit_by_object ON space_audit(space, object_id) WHERE object_id IS NOT NULL;

-- What language models cost on behalf of a space.
CREATE TABLE space_spending (
  space         TEXT NOT NULL,
  provider      TEXT NOT NULL,
  calls         INTEGER NOT NULL,
  tokens        INTEGER NOT NULL,
  micro_usd     INTEGER NOT NULL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (space, provider)
) STRICT, WITHOUT ROWID;
