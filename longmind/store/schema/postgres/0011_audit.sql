-- Format 11: an audit log that is a hash chain over what every commit changed.

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
