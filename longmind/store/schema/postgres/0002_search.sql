-- Format 2: what search derives from the frames. `reindex` makes all of it anew.

CREATE INDEX frame_by_retirement ON frame(retired_at) WHERE retired_at IS NOT NULL;

-- Which frames say a word: for each run of 4,096 frame ids, records of 3 bytes (id within the run, how often).
CREATE TABLE text_posting (
  term          TEXT COLLATE "C" NOT NULL,
  block         BIGINT NOT NULL,
  data          BYTEA NOT NULL,
  PRIMARY KEY (term, block)
);

-- How many content words a frame has; a frame without a row is not indexed.
CREATE TABLE text_doc (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id),
  length        BIGINT NOT NULL
);

-- What a frame means: float16 vectors, one per window of its text.
CREATE TABLE frame_vector (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id),
  text_key      BYTEA NOT NULL CHECK (length(text_key) = 16),
  written_at    BIGINT NOT NULL,
  windows       BIGINT NOT NULL,
  data          BYTEA NOT NULL
);

CREATE INDEX frame_vector_by_text ON frame_vector(text_key);
CREATE INDEX frame_vector_by_time ON frame_vector(written_at);

-- One bit per direction for each content word piece of a frame.
CREATE TABLE frame_token (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id),
  data          BYTEA NOT NULL
);
