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
