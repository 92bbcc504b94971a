-- Format 7: project spaces. An object is a frame with a name of its own and a place in its space.
-- Rows are dated (since, until on the system axis); created_at and updated_at are the clock's readings.
-- Names compare by bytes ("C"), so that both engines list alike.

CREATE TABLE space_record (
  space         TEXT COLLATE "C" NOT NULL,
  since         BIGINT NOT NULL,
  until         BIGINT,
  metadata      TEXT NOT NULL,
  policy        TEXT NOT NULL,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (space, since),
  CHECK (until IS NULL OR until > since)
);

CREATE UNIQUE INDEX space_record_open ON space_record(space) WHERE until IS NULL;

-- The raw text is the first raw_bytes bytes of the frame's text; chunks are JSON: [id, start, end] each.
CREATE TABLE space_object (
  space         TEXT COLLATE "C" NOT NULL,
  object_id     TEXT COLLATE "C" NOT NULL,
  since         BIGINT NOT NULL,
  until         BIGINT,
  frame_id      BIGINT NOT NULL REFERENCES frame(frame_id),
  path          TEXT COLLATE "C" NOT NULL,
  kind          TEXT NOT NULL,
  relevance     TEXT NOT NULL CHECK (relevance IN ('high', 'medium', 'low')),
  pinned        BIGINT NOT NULL CHECK (pinned IN (0, 1)),
  tags          TEXT NOT NULL,
  summary_micro TEXT NOT NULL,
  summary_short TEXT NOT NULL,
  summary_long  TEXT NOT NULL,
  metadata      TEXT NOT NULL,
  hash          TEXT NOT NULL,
  raw_bytes     BIGINT NOT NULL,
  chunks        TEXT NOT NULL,
  created_at    BIGINT NOT NULL,
  updated_at    BIGINT NOT NULL,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (space, object_id, since),
  CHECK (until IS NULL OR until > since)
);

CREATE UNIQUE INDEX space_object_open ON space_object(space, object_id) WHERE until IS NULL;
CREATE UNIQUE INDEX space_object_path ON space_object(space, path) WHERE until IS NULL;
CREATE INDEX space_object_hash ON space_object(space, hash) WHERE until IS NULL;
CREATE INDEX space_object_since ON space_object(space, since);
CREATE INDEX space_object_until ON space_object(space, until) WHERE until IS NOT NULL;
CREATE INDEX space_object_frame ON space_object(frame_id);

-- What was done to a space as a whole, and to objects by its rules. An erased object leaves no name here.
CREATE TABLE space_audit (
  audit_id      BIGINT PRIMARY KEY,
  space         TEXT COLLATE "C" NOT NULL,
  action        TEXT NOT NULL,
  object_id     TEXT COLLATE "C",
  detail        TEXT NOT NULL,
  at            BIGINT NOT NULL,
  recorded_at   BIGINT NOT NULL,
  checksum      BIGINT NOT NULL
);

CREATE INDEX space_audit_by_space ON space_audit(space, audit_id);
CREATE INDEX space_audit_by_object ON space_audit(space, object_id) WHERE object_id IS NOT NULL;

-- What language models cost on behalf of a space.
CREATE TABLE space_spending (
  space         TEXT COLLATE "C" NOT NULL,
  provider      TEXT COLLATE "C" NOT NULL,
  calls         BIGINT NOT NULL,
  tokens        BIGINT NOT NULL,
  micro_usd     BIGINT NOT NULL,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (space, provider)
);
