-- Format 9: nothing that was acknowledged is lost. What format 9 adds to files beyond these tables (checksums of
-- pages, accounts of rows, the log's owner) the server does for itself.

-- Erasures whose bytes are not yet known to be gone, or whose certificate nobody has received: the certificate
-- as JSON, or nothing for one that has none. A row goes when its certificate is handed over.
CREATE TABLE erasure_pending (
  erasure_id       BIGINT PRIMARY KEY,
  certificate      TEXT NOT NULL,
  checksum         BIGINT NOT NULL
);

-- One row for each rebuild under way: by which rules, how far it has come, and who does it.
CREATE TABLE rebuild (
  name          TEXT PRIMARY KEY,
  rules         TEXT NOT NULL,
  detail        TEXT NOT NULL,
  done_to       BIGINT NOT NULL,
  owner         TEXT NOT NULL,
  host          TEXT NOT NULL,
  pid           BIGINT NOT NULL,
  beat          BIGINT NOT NULL,
  checksum      BIGINT NOT NULL
);

-- The next text index and the next vectors: no search reads them, an erase empties them too.
CREATE TABLE text_posting_next (
  term          TEXT COLLATE "C" NOT NULL,
  block         BIGINT NOT NULL,
  data          BYTEA NOT NULL,
  PRIMARY KEY (term, block)
);

CREATE TABLE text_doc_next (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id),
  length        BIGINT NOT NULL
);

CREATE TABLE frame_vector_next (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id),
  text_key      BYTEA NOT NULL CHECK (length(text_key) = 16),
  written_at    BIGINT NOT NULL,
  windows       BIGINT NOT NULL,
  data          BYTEA NOT NULL
);

CREATE TABLE frame_token_next (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id),
  data          BYTEA NOT NULL
);
