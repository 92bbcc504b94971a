-- Format 2: what search derives from the frames. `reindex` makes all of it anew.

CREATE INDEX frame_by_retirement ON frame(retired_at) WHERE retired_at IS NOT NULL;

-- Which frames say a word: for each run of 4,096 frame ids, records of 3 bytes (id within the run, how often).
CREATE TABLE text_posting (
  term          TEXT NOT NULL,
  block         INTEGER NOT NULL,
  data          BLOB NOT NULL,
  PRIMARY KEY (term, block)
) WITHOUT ROWID;

-- How many content words a frame has; a frame without a row is not indexed.
CREATE TABLE text_doc (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id),
  length        INTEGER NOT NULL
);

-- What a frame means: float16 vectors, one per window of its text.
CREATE TABLE frame_vector (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id),
  text_key      BLOB NOT NULL CHECK (length(text_key) = 16),
  written_at    INTEGER NOT NULL,
  windows       INTEGER NOT NULL,
  data          BLOB NOT NULL
);

CREATE INDEX frame_vector_by_text ON frame_vector(text_key);
CREATE INDEX frame_vector_by_time ON frame_vector(written_at);

-- One bit per direction for each content word piece of a frame.
CREATE TABLE frame_token (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id),
  data          BLOB NOT NULL
);
