-- Format 11: what is trusted, and who may see it.

-- The history of conversation memory is kept like that of experience. Nothing is edited, and only an
-- erase removes. Until now a statement of SQL could move a link to another turn or take a decision away.

CREATE TRIGGER conversation_memory_is_immutable BEFORE UPDATE ON conversation_memory
BEGIN SELECT RAISE(ABORT, 'memories are immutable'); END;
CREATE TRIGGER conversation_run_is_immutable BEFORE UPDATE ON conversation_run
BEGIN SELECT RAISE(ABORT, 'sweeps are immutable'); END;
-- A turn that says one thing twice writes its link twice, in one transaction.
CREATE TRIGGER conversation_link_is_immutable BEFORE UPDATE ON conversation_link
WHEN NEW.memory_id <> OLD.memory_id OR NEW.frame_id <> OLD.frame_id OR NEW.reason <> OLD.reason
  OR NEW.recorded_at <> OLD.recorded_at
BEGIN SELECT RAISE(ABORT, 'links are immutable'); END;
CREATE TRIGGER conversation_tombstone_is_immutable BEFORE UPDATE ON conversation_tombstone
WHEN NEW.space <> OLD.space OR NEW.name <> OLD.name
BEGIN SELECT RAISE(ABORT, 'tombstones are immutable'); END;
CREATE TRIGGER conversation_state_only_ends BEFORE UPDATE ON conversation_state
WHEN NEW.memory_id <> OLD.memory_id OR NEW.since <> OLD.since OR NEW.layer <> OLD.layer
  OR NEW.status <> OLD.status OR NEW.hits <> OLD.hits OR NEW.importance <> OLD.importance
  OR NEW.last_seen_at IS NOT OLD.last_seen_at OR NEW.score <> OLD.score OR NEW.scored_at <> OLD.scored_at
BEGIN SELECT RAISE(ABORT, 'of a state, only its end is written later'); END;

CREATE TRIGGER conversation_version_is_kept BEFORE DELETE ON conversation_version
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'versions of a memory are removed by erase alone'); END;
CREATE TRIGGER conversation_link_is_kept BEFORE DELETE ON conversation_link
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'links are removed by erase alone'); END;
CREATE TRIGGER conversation_decision_is_kept BEFORE DELETE ON conversation_decision
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'decisions are removed by erase alone'); END;
CREATE TRIGGER conversation_run_is_kept BEFORE DELETE ON conversation_run
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'sweeps are removed by erase alone'); END;
CREATE TRIGGER conversation_tombstone_is_kept BEFORE DELETE ON conversation_tombstone
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'tombstones are removed by erase alone'); END;
-- What was over by the time of this transaction; a state that the same transaction began may go again.
CREATE TRIGGER conversation_state_is_kept BEFORE DELETE ON conversation_state
WHEN OLD.until IS NOT NULL AND NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'states are removed by erase alone'); END;

-- Which frames the rules of visibility of their space hide from reads. `reindex` makes it anew.
CREATE TABLE frame_hidden (
  frame_id      INTEGER PRIMARY KEY REFERENCES frame(frame_id)
) STRICT;

-- An audit log that is a hash chain over what every commit changed.

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
