-- Format 13: what is written in parts, and what is kept in blocks and ranges.

-- The frames of a partition by id, and those of scope global: a search reads only its own.
CREATE INDEX frame_by_partition ON frame(space, frame_id);
CREATE INDEX frame_of_all ON frame(frame_id) WHERE scope = 'global';

-- Times that the text of a frame speaks of, as half-open ranges of unix milliseconds, a bound missing where the text
-- leaves it open. Relative ones are counted from the frame's own time. Derived, `reindex` makes it anew.
CREATE TABLE frame_time (
  frame_id      BIGINT NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  number        BIGINT NOT NULL,
  since         BIGINT,
  until         BIGINT,
  PRIMARY KEY (frame_id, number),
  CHECK (since IS NOT NULL OR until IS NOT NULL)
);

-- Documents that are too large for one transaction. Their frames are committed in parts, each a range of ids, and no
-- read shows them until the last transaction publishes all ranges at once. `holder` is who writes them until then.
CREATE TABLE frame_staged (
  first_id      BIGINT PRIMARY KEY,
  last_id       BIGINT NOT NULL,
  frame_id      BIGINT NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  published_at  BIGINT,
  holder        TEXT COLLATE "C",
  checksum      BIGINT NOT NULL,
  CHECK (last_id >= first_id),
  CHECK ((published_at IS NULL) = (holder IS NOT NULL))
);
CREATE INDEX frame_staged_by_document ON frame_staged(frame_id);
CREATE INDEX frame_staged_by_time ON frame_staged(published_at);

CREATE FUNCTION frame_staged_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT 1 FROM store_erasing) THEN
      RAISE EXCEPTION 'history is removed by erase alone';
    END IF;
    RETURN OLD;
  END IF;
  IF OLD.published_at IS NOT NULL OR (NEW.first_id, NEW.last_id, NEW.frame_id)
      IS DISTINCT FROM (OLD.first_id, OLD.last_id, OLD.frame_id) THEN
    RAISE EXCEPTION 'a document is published once';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER frame_staged_is_guarded BEFORE UPDATE OR DELETE ON frame_staged
FOR EACH ROW EXECUTE FUNCTION frame_staged_guard();

-- What searches keep in memory of a partition, stored as it is kept: of a range of its ids, as of a revision.
CREATE TABLE segment_block (
  segment       TEXT NOT NULL,
  kind          TEXT NOT NULL,
  first_id      BIGINT NOT NULL,
  last_id       BIGINT NOT NULL,
  revision      BIGINT NOT NULL,
  checksum      BYTEA NOT NULL,
  data          BYTEA NOT NULL,
  PRIMARY KEY (segment, kind, first_id)
);
