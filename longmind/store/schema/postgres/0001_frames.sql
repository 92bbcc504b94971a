-- Format 1: the clock of the store, its settings, and the frames.

-- One row. System time never runs backwards: each write transaction takes last_system + 1 or later.
CREATE TABLE store_clock (
  one          BIGINT PRIMARY KEY CHECK (one = 1),
  last_system  BIGINT NOT NULL,
  checksum     BIGINT NOT NULL
);

INSERT INTO store_clock VALUES (1, 0, 1934556152308305704);

-- Last number given out per kind of thing; numbers are never given out twice, even after an erase.
CREATE TABLE store_counter (
  name         TEXT PRIMARY KEY,
  value        BIGINT NOT NULL,
  checksum     BIGINT NOT NULL
);

CREATE TABLE store_setting (
  name         TEXT PRIMARY KEY,
  value        TEXT NOT NULL,
  checksum     BIGINT NOT NULL
);

-- The queue for the writer lease: the lowest ticket that has not expired holds it.
CREATE TABLE store_lease (
  ticket       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  holder       TEXT NOT NULL UNIQUE,
  host         TEXT NOT NULL,
  pid          BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL
);

-- Holds a row only inside an erase transaction; the triggers below look at it.
CREATE TABLE store_erasing (
  one          BIGINT PRIMARY KEY CHECK (one = 1)
);

CREATE TABLE erasure (
  erasure_id       BIGINT PRIMARY KEY,
  erased_at        BIGINT NOT NULL,
  frames           BIGINT NOT NULL,
  certificate_hash BYTEA NOT NULL CHECK (length(certificate_hash) = 32),
  checksum         BIGINT NOT NULL
);

CREATE TABLE frame (
  frame_id      BIGINT PRIMARY KEY,
  kind          TEXT NOT NULL,
  space         TEXT NOT NULL,
  scope         TEXT NOT NULL CHECK (scope IN ('space', 'global')),
  session       TEXT,
  role          TEXT,
  speaker       TEXT,
  uri           TEXT,
  title         TEXT,
  source        TEXT NOT NULL,
  parent_id     BIGINT REFERENCES frame(frame_id),
  start_byte    BIGINT,
  end_byte      BIGINT,
  ordinal       BIGINT,
  occurred_at   BIGINT NOT NULL,
  recorded_at   BIGINT NOT NULL,
  retired_at    BIGINT,
  superseded_by BIGINT REFERENCES frame(frame_id),
  dated         BIGINT NOT NULL CHECK (dated IN (0, 1)),
  repeatable    BIGINT NOT NULL CHECK (repeatable IN (0, 1)),
  content_hash  BYTEA NOT NULL CHECK (length(content_hash) = 32),
  checksum      BIGINT NOT NULL,
  CHECK (retired_at IS NULL OR retired_at > recorded_at),
  CHECK (superseded_by IS NULL OR retired_at IS NOT NULL),
  CHECK ((start_byte IS NULL) = (end_byte IS NULL)),
  CHECK (start_byte IS NULL OR (parent_id IS NOT NULL AND 0 <= start_byte AND start_byte < end_byte))
);

CREATE INDEX frame_by_content ON frame((substr(content_hash, 1, 8)));
CREATE INDEX frame_by_time ON frame(space, occurred_at, frame_id);
CREATE INDEX frame_by_session ON frame(session, occurred_at) WHERE session IS NOT NULL;
CREATE INDEX frame_by_parent ON frame(parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX frame_by_uri ON frame(uri) WHERE uri IS NOT NULL;
CREATE INDEX frame_by_successor ON frame(superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX frame_global ON frame(occurred_at) WHERE scope = 'global';

-- Apart from the frame, so that filters read small rows. A chunk has none: it is a slice of its parent's.
CREATE TABLE frame_text (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id) ON DELETE CASCADE,
  text          TEXT NOT NULL
);

CREATE TABLE frame_tag (
  frame_id      BIGINT NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  tag           TEXT NOT NULL,
  since         BIGINT NOT NULL,
  until         BIGINT,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (tag, frame_id, since),
  CHECK (until IS NULL OR until > since)
);

CREATE INDEX frame_tag_by_frame ON frame_tag(frame_id);

-- Top-level keys of the metadata, each with the canonical JSON of its value.
CREATE TABLE frame_meta (
  frame_id      BIGINT NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  name          TEXT NOT NULL,
  since         BIGINT NOT NULL,
  until         BIGINT,
  value         TEXT NOT NULL,
  value_key     BIGINT NOT NULL,
  value_number  DOUBLE PRECISION,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (frame_id, name, since),
  CHECK (until IS NULL OR until > since)
);

CREATE INDEX frame_meta_by_value ON frame_meta(name, value_key, frame_id);

-- A caller's own name for one write: repeating the write gives the same frame.
CREATE TABLE frame_key (
  space         TEXT NOT NULL,
  name          TEXT NOT NULL,
  frame_id      BIGINT NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (space, name)
);

CREATE INDEX frame_key_by_frame ON frame_key(frame_id);

-- History is kept: what was recorded stays as it was, and only an erase removes.
CREATE FUNCTION frame_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT 1 FROM store_erasing) THEN
      RAISE EXCEPTION 'frames are removed by erase alone';
    END IF;
    RETURN OLD;
  END IF;
  IF (OLD.frame_id, OLD.kind, OLD.space, OLD.scope, OLD.session, OLD.role, OLD.speaker, OLD.uri, OLD.title,
      OLD.source, OLD.parent_id, OLD.start_byte, OLD.end_byte, OLD.ordinal, OLD.occurred_at, OLD.recorded_at,
      OLD.dated, OLD.repeatable, OLD.content_hash)
     IS DISTINCT FROM
     (NEW.frame_id, NEW.kind, NEW.space, NEW.scope, NEW.session, NEW.role, NEW.speaker, NEW.uri, NEW.title,
      NEW.source, NEW.parent_id, NEW.start_byte, NEW.end_byte, NEW.ordinal, NEW.occurred_at, NEW.recorded_at,
      NEW.dated, NEW.repeatable, NEW.content_hash) THEN
    RAISE EXCEPTION 'frames are immutable';
  END IF;
  IF OLD.retired_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM store_erasing) THEN
    RAISE EXCEPTION 'a retired frame stays retired';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER frame_guarded BEFORE UPDATE OR DELETE ON frame
FOR EACH ROW EXECUTE FUNCTION frame_guard();

CREATE FUNCTION frame_text_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'frames are immutable';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM store_erasing) THEN
    RAISE EXCEPTION 'frames are removed by erase alone';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER frame_text_guarded BEFORE UPDATE OR DELETE ON frame_text
FOR EACH ROW EXECUTE FUNCTION frame_text_guard();
