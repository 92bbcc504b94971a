-- Format 11: what is trusted, and who may see it.

-- The history of conversation memory is kept like that of experience. Nothing is edited, and only an
-- erase removes. Until now a statement of SQL could move a link to another turn or take a decision away.

-- What is guarded is said by the trigger.
CREATE FUNCTION conversation_history_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM store_erasing) THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION '% are immutable', TG_ARGV[0];
  END IF;
  RAISE EXCEPTION '% are removed by erase alone', TG_ARGV[0];
END $$;

CREATE TRIGGER conversation_memory_is_immutable BEFORE UPDATE ON conversation_memory
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('memories');
CREATE TRIGGER conversation_run_is_immutable BEFORE UPDATE ON conversation_run
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('sweeps');
-- A turn that says one thing twice writes its link twice, in one transaction.
CREATE TRIGGER conversation_link_is_immutable BEFORE UPDATE ON conversation_link
FOR EACH ROW WHEN (NEW.memory_id <> OLD.memory_id OR NEW.frame_id <> OLD.frame_id OR NEW.reason <> OLD.reason
  OR NEW.recorded_at <> OLD.recorded_at)
EXECUTE FUNCTION conversation_history_guard('links');
CREATE TRIGGER conversation_tombstone_is_immutable BEFORE UPDATE ON conversation_tombstone
FOR EACH ROW WHEN (NEW.space <> OLD.space OR NEW.name <> OLD.name)
EXECUTE FUNCTION conversation_history_guard('tombstones');
CREATE TRIGGER conversation_state_only_ends BEFORE UPDATE ON conversation_state
FOR EACH ROW WHEN (NEW.memory_id <> OLD.memory_id OR NEW.since <> OLD.since OR NEW.layer <> OLD.layer
  OR NEW.status <> OLD.status OR NEW.hits <> OLD.hits OR NEW.importance <> OLD.importance
  OR NEW.last_seen_at IS DISTINCT FROM OLD.last_seen_at OR NEW.score <> OLD.score
  OR NEW.scored_at <> OLD.scored_at)
EXECUTE FUNCTION conversation_history_guard('states');

CREATE TRIGGER conversation_version_is_kept BEFORE DELETE ON conversation_version
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('versions of a memory');
CREATE TRIGGER conversation_link_is_kept BEFORE DELETE ON conversation_link
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('links');
CREATE TRIGGER conversation_decision_is_kept BEFORE DELETE ON conversation_decision
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('decisions');
CREATE TRIGGER conversation_run_is_kept BEFORE DELETE ON conversation_run
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('sweeps');
CREATE TRIGGER conversation_tombstone_is_kept BEFORE DELETE ON conversation_tombstone
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('tombstones');
-- What was over by the time of this transaction; a state that the same transaction began may go again.
CREATE TRIGGER conversation_state_is_kept BEFORE DELETE ON conversation_state
FOR EACH ROW WHEN (OLD.until IS NOT NULL) EXECUTE FUNCTION conversation_history_guard('states');

-- Which frames the rules of visibility of their space hide from reads. `reindex` makes it anew.
CREATE TABLE frame_hidden (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id)
);

-- An audit log that is a hash chain over what every commit changed.

-- One row for each commit that changed canonical rows. `spaces` and `changes` are JSON: which spaces it concerned, and
-- how many rows it added to and removed from which table. `state` is the hash over all canonical rows after the
-- commit; `hash` is the hash over the entry before and every other column of this one. No column holds content.
CREATE TABLE audit_entry (
  entry_id      BIGINT PRIMARY KEY,
  recorded_at   BIGINT NOT NULL,
  at            BIGINT NOT NULL,
  actor         TEXT COLLATE "C" NOT NULL,
  face          TEXT COLLATE "C" NOT NULL,
  action        TEXT COLLATE "C" NOT NULL,
  spaces        TEXT COLLATE "C" NOT NULL,
  changes       TEXT COLLATE "C" NOT NULL,
  detail        TEXT COLLATE "C" NOT NULL,
  state         BYTEA NOT NULL CHECK (length(state) = 32),
  hash          BYTEA NOT NULL CHECK (length(hash) = 32)
);

-- The names of users, which entries hold as keyed digests only. An erased user's row goes, and with it the name.
CREATE TABLE audit_user (
  digest        TEXT COLLATE "C" PRIMARY KEY,
  salt          TEXT COLLATE "C" NOT NULL,
  name          TEXT COLLATE "C" NOT NULL,
  checksum      BIGINT NOT NULL
);

-- The last entry and its hash; the sum of the hashes of all canonical rows, which the next commit adds to; and as
-- JSON, for each table with rows, how many there are and the sum of their hashes (modulo 2^64, signed). In the row
-- of the clock, because every commit writes that one anyway.
ALTER TABLE store_clock ADD COLUMN audit_entries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE store_clock ADD COLUMN audit_hash BYTEA NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN audit_total BYTEA NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN audit_rows TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN audit_checksum BIGINT NOT NULL DEFAULT 0;

-- Rows that the running transaction changed or removed, as they were before and after. A commit takes out its own;
-- what other programs change stays here under their transaction, and is not accounted for.
CREATE UNLOGGED TABLE store_change (
  xact          BIGINT NOT NULL,
  table_name    TEXT COLLATE "C" NOT NULL,
  before        JSONB NOT NULL,
  after         JSONB
);

CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Texts have their hash in the frame, and may be large: their ids are enough.
  INSERT INTO store_change VALUES (
    pg_current_xact_id()::text::bigint,
    TG_TABLE_NAME,
    CASE WHEN TG_TABLE_NAME = 'frame_text' THEN to_jsonb(OLD) - 'text' ELSE to_jsonb(OLD) END,
    CASE WHEN TG_OP = 'UPDATE' THEN to_jsonb(NEW) END
  );
  RETURN NULL;
END $$;

CREATE FUNCTION audit_entry_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'the audit log is never edited'; END $$;

CREATE TRIGGER audit_entry_is_immutable BEFORE UPDATE ON audit_entry
FOR EACH ROW EXECUTE FUNCTION audit_entry_is_immutable();
