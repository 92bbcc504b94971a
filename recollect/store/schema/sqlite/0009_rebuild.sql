-- Format 9: indexes are built beside those that answer, and switched in one commit.

-- One row for each rebuild under way: by which rules, how far it has come, and who does it.
CREATE TABLE rebuild (
  name          TEXT PRIMARY KEY,
  rules         TEXT NOT NULL,
  detail        TEXT NOT NULL,
  done_to       INTEGER NOT NULL,
  owner         TEXT NOT NULL,
  host          TEXT NOT NULL,
  pid           INTEGER NOT NULL,
  beat          INTEGER NOT NULL,
  checksum      INTEGER NOT NULL
) WITHOUT ROWID;

-- The next text index and the next vectors: no search reads them, an erase empties them too.
CREATE TABLE text_posting_next (
  term          TEXT NOT NULL,
  block         INTEGER NOT NULL,
  data          BLOB NOT NULL,
  PRIMARY KEY (term, block)
) WITHOUT ROWID;

CREATE TABLE text_doc_next (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id),
  length        INTEGER NOT NULL
);

CREATE TABLE frame_vector_next (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id),
  text_key      BLOB NOT NULL CHECK (length(text_key) = 16),
  written_at    INTEGER NOT NULL,
  windows       INTEGER NOT NULL,
  data          BLOB NOT NULL
);

CREATE TABLE frame_token_next (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id),
  data          BLOB NOT NULL
);
