-- Format 1: the clock of the store, its settings, and the frames.

-- One row. System time never runs backwards: each write transaction takes last_system + 1 or later.
CREATE TABLE store_clock (
  one          INTEGER PRIMARY KEY CHECK (one = 1),
  last_system  INTEGER NOT NULL,
  checksum     INTEGER NOT NULL
);

INSERT INTO store_clock VALUES (1, 0, 1934556152308305704);

-- Last number given out per kind of thing; numbers are never given out twice, even after an erase.
CREATE TABLE store_counter (
  name         TEXT PRIMARY KEY,
  value        INTEGER NOT NULL,
  checksum     INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE store_setting (
  name         TEXT PRIMARY KEY,
  value        TEXT NOT NULL,
  checksum     INTEGER NOT NULL
) WITHOUT ROWID;

-- The queue for the writer lease: the lowest ticket that has not expired holds it.
CREATE TABLE store_lease (
  ticket       INTEGER PRIMARY KEY AUTOINCREMENT,
  holder       TEXT NOT NULL UNIQUE,
  host         TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
);

-- Holds a row only inside an erase transaction; the triggers below look at it.
CREATE TABLE store_erasing (
  one          INTEGER PRIMARY KEY CHECK (one = 1)
);

CREATE TABLE erasure (
  erasure_id       INTEGER PRIMARY KEY,
  erased_at        INTEGER NOT NULL,
  frames           INTEGER NOT NULL,
  certificate_hash BLOB NOT NULL CHECK (length(certificate_hash) = 32),
  checksum         INTEGER NOT NULL
);

CREATE TABLE frame (
  frame_id      INTEGER PRIMARY KEY,
  kind          TEXT NOT NULL,
  space         TEXT NOT NULL,
  scope         TEXT NOT NULL CHECK (scope IN ('space', 'global')),
  session       TEXT,
  role          TEXT,
  speaker       TEXT,
  uri           TEXT,
  title         TEXT,
  source        TEXT NOT NULL,
  parent_id     INTEGER REFERENCES frame(frame_id),
  start_byte    INTEGER,
  end_byte      INTEGER,
  ordinal       INTEGER,
  occurred_at   INTEGER NOT NULL,
  recorded_at   INTEGER NOT NULL,
  retired_at    INTEGER,
  superseded_by INTEGER REFERENCES frame(frame_id),
  dated         INTEGER NOT NULL CHECK (dated IN (0, 1)),
  repeatable    INTEGER NOT NULL CHECK (repeatable IN (0, 1)),
  content_hash  BLOB NOT NULL CHECK (length(content_hash) = 32),
  checksum      INTEGER NOT NULL,
  CHECK (retired_at IS NULL OR retired_at > recorded_at),
  CHECK (superseded_by IS NULL OR retired_at IS NOT NULL),
  CHECK ((start_byte IS NULL) = (end_byte IS NULL)),
  CHECK (start_byte IS NULL OR (parent_id IS NOT NULL AND 0 <= start_byte AND start_byte < end_byte))
);

CREATE INDEX frame_by_content ON frame(substr(content_hash, 1, 8));
CREATE INDEX frame_by_time ON frame(space, occurred_at, frame_id);
CREATE INDEX frame_by_session ON frame(session, occurred_at) WHERE session IS NOT NULL;
CREATE INDEX frame_by_parent ON frame(parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX frame_by_uri ON frame(uri) WHERE uri IS NOT NULL;
CREATE INDEX frame_by_successor ON frame(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX frame_global ON frame(occurred_at) WHERE scope = 'global';

-- Apart from the frame, so that filters read small rows. A chunk has none: it is a slice of its parent's.
CREATE TABLE frame_text (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id) ON DELETE CASCADE,
  text          TEXT NOT NULL
);

CREATE TABLE frame_tag (
  frame_id      INTEGER NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  tag           TEXT NOT NULL,
  since         INTEGER NOT NULL,
  until         INTEGER,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (tag, frame_id, since),
  CHECK (until IS NULL OR until > since)
) WITHOUT ROWID;

CREATE INDEX frame_tag_by_frame ON frame_tag(frame_id);

-- Top-level keys of the metadata, each with the canonical JSON of its value.
CREATE TABLE frame_meta (
  frame_id      INTEGER NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  name          TEXT NOT NULL,
  since         INTEGER NOT NULL,
  until         INTEGER,
  value         TEXT NOT NULL,
  value_key     INTEGER NOT NULL,
  value_number  REAL,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (frame_id, name, since),
  CHECK (until IS NULL OR until > since)
) WITHOUT ROWID;

CREATE INDEX frame_meta_by_value ON frame_meta(name, value_key, frame_id);

-- A caller's own name for one write: repeating the write gives the same frame.
CREATE TABLE frame_key (
  space         TEXT NOT NULL,
  name          TEXT NOT NULL,
  frame_id      INTEGER NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  checksum      INTEGER NOT NULL,
  PRIMARY KEY (space, name)
) WITHOUT ROWID;

CREATE INDEX frame_key_by_frame ON frame_key(frame_id);

-- History is kept: what was recorded stays as it was, and only an erase removes.
CREATE TRIGGER frame_is_immutable BEFORE UPDATE OF
  frame_id, kind, space, scope, session, role, speaker, uri, title, source, parent_id, start_byte, end_byte,
  ordinal, occurred_at, recorded_at, dated, repeatable, content_hash ON frame
BEGIN SELECT RAISE(ABORT, 'frames are immutable'); END;

CREATE TRIGGER frame_retires_once BEFORE UPDATE OF retired_at, superseded_by ON frame
WHEN OLD.retired_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'a retired frame stays retired'); END;

CREATE TRIGGER frame_is_kept BEFORE DELETE ON frame WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'frames are removed by erase alone'); END;

CREATE TRIGGER frame_text_is_immutable BEFORE UPDATE ON frame_text
BEGIN SELECT RAISE(ABORT, 'frames are immutable'); END;

CREATE TRIGGER frame_text_is_kept BEFORE DELETE ON frame_text WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'frames are removed by erase alone'); END;
