-- Format 11: an audit log that is a hash chain over what every commit changed.

-- One row for each commit that changed canonical rows. `spaces` and `changes` are JSON: which spaces it concerned, and
-- how many rows it added to and removed from which table. `state` is the hash over all canonical rows after the
-- commit; `hash` is the hash over the entry before and every other column of this one. No column holds content.
CREATE TABLE audit_entry (
  entry_id      INTEGER PRIMARY KEY,
  recorded_at   INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  actor         TEXT NOT NULL,
  face          TEXT NOT NULL,
  action        TEXT NOT NULL,
  spaces        TEXT NOT NULL,
  changes       TEXT NOT NULL,
  detail        TEXT NOT NULL,
  state         BLOB NOT NULL CHECK (length(state) = 32),
  hash          BLOB NOT NULL CHECK (length(hash) = 32)
) STRICT;

-- The names of users, which entries hold as keyed digests only. An erased user's row goes, and with it the name.
CREATE TABLE audit_user (
  digest        TEXT PRIMARY KEY NOT NULL,
  salt          TEXT NOT NULL,
  name          TEXT NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The last entry and its hash; the sum of the hashes of all canonical rows, which the next commit adds to; and as
-- JSON, for each table with rows, how many there are and the sum of their hashes (modulo 2^64, signed). In the row
-- of the clock, because every commit writes that one anyway.
ALTER TABLE store_clock ADD COLUMN audit_entries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store_clock ADD COLUMN audit_hash BLOB NOT NULL DEFAULT x'';
ALTER TABLE store_clock ADD COLUMN audit_total BLOB NOT NULL DEFAULT x'';
ALTER TABLE store_clock ADD COLUMN audit_rows TEXT NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN audit_checksum INTEGER NOT NULL DEFAULT 0;

DROP TABLE store_account;
