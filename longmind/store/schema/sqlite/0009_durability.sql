-- Format 9: nothing that was acknowledged is lost, and no damage becomes an answer.

-- SQLite's log (-wal) does not say which file it continues. Each generation of the log has a random id, and says
-- on which state of the file it builds: the generation before, and how many write transactions there had been.
-- `log_state` is 0 while the file alone holds everything, 1 when the log may be ahead of the file and the file may
-- not say so yet, 2 when the file says so. `log_boot` is the boot of the machine that wrote last. An empty
-- `log_id` is a file of an earlier format that has not been written since.
ALTER TABLE store_clock ADD COLUMN log_id TEXT NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN log_before TEXT NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN log_writes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store_clock ADD COLUMN log_base INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store_clock ADD COLUMN log_state INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store_clock ADD COLUMN log_boot TEXT NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN log_checksum INTEGER NOT NULL DEFAULT 0;

-- For each canonical table how many rows it has and the sum of their checksums (modulo 2^64, signed),
-- written by every commit that changes the table. A row that goes missing, comes back, or is changed by another
-- program no longer adds up, however sound its own checksum is.
CREATE TABLE store_account (
  table_name    TEXT PRIMARY KEY NOT NULL,
  rows          INTEGER NOT NULL,
  total         INTEGER NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Erasures whose bytes are not yet known to be gone, or whose certificate nobody has received: the certificate
-- as JSON, or nothing for one that has none. A row goes when its certificate is handed over.
CREATE TABLE erasure_pending (
  erasure_id       INTEGER PRIMARY KEY,
  certificate      TEXT NOT NULL,
  checksum         INTEGER NOT NULL
);

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
