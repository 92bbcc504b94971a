-- Format 9: for each canonical table how many rows it has and the sum of their checksums (modulo 2^64, signed),
-- written by every commit that changes the table. A row that goes missing, comes back, or is changed by another
-- program no longer adds up, however sound its own checksum is.
CREATE TABLE store_account (
  table_name    TEXT PRIMARY KEY NOT NULL,
  rows          INTEGER NOT NULL,
  total         INTEGER NOT NULL,
  checksum      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
