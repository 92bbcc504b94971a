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

-- Assertions. Each thing that was said is a row; `fact_span` is what follows from all of them.

-- action: record and correct hold the value, replace holds it and ends other values, end and a record of
-- polarity 0 end it, retract takes back what was said before. fact_id is NULL where every value is meant.
-- trust: 1 low, 2 normal, 3 high. held_back: in quarantine until it is confirmed.
CREATE TABLE fact_assertion (
  assertion_id      BIGINT PRIMARY KEY,
  ledger            TEXT COLLATE "C" NOT NULL,
  space             TEXT NOT NULL,
  subject_entity_id BIGINT NOT NULL REFERENCES fact_entity(entity_id) ON DELETE RESTRICT,
  predicate_id      BIGINT NOT NULL REFERENCES fact_predicate(predicate_id) ON DELETE RESTRICT,
  fact_id           BIGINT REFERENCES fact(fact_id),
  qualifiers_hash   BYTEA,
  action            TEXT NOT NULL CHECK (action IN ('record', 'correct', 'replace', 'end', 'retract')),
  polarity          BIGINT NOT NULL CHECK (polarity IN (0, 1)),
  valid_from        BIGINT NOT NULL,
  valid_to          BIGINT,
  system_from       BIGINT NOT NULL,
  system_to         BIGINT,
  by_hand           BIGINT NOT NULL CHECK (by_hand IN (0, 1)),
  derived           BIGINT NOT NULL CHECK (derived IN (0, 1)),
  channel           TEXT NOT NULL,
  speaker           TEXT,
  said_by           TEXT,
  trust             BIGINT NOT NULL CHECK (trust BETWEEN 1 AND 3),
  held_back         BIGINT NOT NULL CHECK (held_back IN (0, 1)),
  reason            TEXT,
  created_at        BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  CHECK (valid_to IS NULL OR valid_to > valid_from),
  CHECK (system_to IS NULL OR system_to > system_from),
  CHECK (fact_id IS NOT NULL OR action IN ('end', 'retract'))
);

-- Which assertions a span rests on.
CREATE TABLE fact_support (
  span_id           BIGINT NOT NULL REFERENCES fact_span(span_id) ON DELETE CASCADE,
  assertion_id      BIGINT NOT NULL REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (span_id, assertion_id)
);

-- What was decided about an assertion in quarantine.
CREATE TABLE fact_ruling (
  ruling_id         BIGINT PRIMARY KEY,
  assertion_id      BIGINT NOT NULL REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  confirmed         BIGINT NOT NULL CHECK (confirmed IN (0, 1)),
  since             BIGINT NOT NULL,
  until             BIGINT,
  checksum          BIGINT NOT NULL,
  CHECK (until IS NULL OR until > since)
);

-- That two entities are the same: while it lasts, what is said of one is held of the other.
CREATE TABLE fact_same (
  same_id           BIGINT PRIMARY KEY,
  entity_id         BIGINT NOT NULL REFERENCES fact_entity(entity_id) ON DELETE CASCADE,
  into_id           BIGINT NOT NULL REFERENCES fact_entity(entity_id) ON DELETE CASCADE,
  since             BIGINT NOT NULL,
  until             BIGINT,
  checksum          BIGINT NOT NULL,
  CHECK (entity_id <> into_id),
  CHECK (until IS NULL OR until > since)
);

-- Each span of an earlier format becomes the assertion that says exactly its period, known while it was held, so
-- that what follows from the assertions is what there is. It has the number of its span: evidence and premises,
-- which pointed to spans, point to assertions. `store/carry_over.py` then writes the checksums.
INSERT INTO fact_assertion
SELECT s.span_id, c.ledger, s.space, c.subject_entity_id, c.predicate_id, s.fact_id, c.qualifiers_hash, 'record', 1,
  s.valid_from, s.valid_to, s.system_from, s.system_to, s.by_hand, s.derived,
  CASE WHEN s.by_hand = 1 THEN 'call' ELSE 'note' END, NULL, NULL, CASE WHEN s.by_hand = 1 THEN 3 ELSE 2 END, 0,
  s.reason, s.created_at, 0
FROM fact_span s JOIN fact c ON c.fact_id = s.fact_id;

INSERT INTO fact_support SELECT span_id, span_id, 0 FROM fact_span;
ALTER TABLE fact_evidence DROP CONSTRAINT fact_evidence_span_id_fkey;
ALTER TABLE fact_evidence RENAME COLUMN span_id TO assertion_id;
ALTER TABLE fact_premise DROP CONSTRAINT fact_premise_span_id_fkey;
ALTER TABLE fact_premise RENAME COLUMN span_id TO assertion_id;
ALTER INDEX fact_evidence_by_span RENAME TO fact_evidence_by_assertion;
ALTER TABLE fact_evidence ADD CONSTRAINT fact_evidence_assertion_id_fkey
  FOREIGN KEY (assertion_id) REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE;
ALTER TABLE fact_premise ADD CONSTRAINT fact_premise_assertion_id_fkey
  FOREIGN KEY (assertion_id) REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE;

CREATE INDEX fact_assertion_by_fact ON fact_assertion(fact_id) WHERE fact_id IS NOT NULL;
CREATE INDEX fact_assertion_by_subject ON fact_assertion(subject_entity_id, predicate_id, valid_from);
CREATE INDEX fact_assertion_wide ON fact_assertion(subject_entity_id, predicate_id)
  WHERE fact_id IS NULL OR action = 'replace';
CREATE INDEX fact_assertion_held_back ON fact_assertion(ledger) WHERE held_back = 1;
CREATE INDEX fact_support_of ON fact_support(assertion_id);
CREATE INDEX fact_ruling_on ON fact_ruling(assertion_id);
CREATE INDEX fact_same_entity ON fact_same(entity_id);
CREATE INDEX fact_same_into ON fact_same(into_id);

CREATE FUNCTION fact_assertion_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'assertions are immutable';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM store_erasing)
     AND OLD.system_from < (SELECT last_system FROM store_clock) THEN
    RAISE EXCEPTION 'assertions are removed by erase alone';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER fact_assertion_unchanged BEFORE UPDATE OF
  assertion_id, ledger, space, subject_entity_id, predicate_id, fact_id, qualifiers_hash, action, polarity,
  valid_from, valid_to, system_from, system_to, by_hand, derived, channel, speaker, said_by, trust, held_back,
  reason, created_at ON fact_assertion
FOR EACH ROW EXECUTE FUNCTION fact_assertion_guard();

CREATE TRIGGER fact_assertion_kept BEFORE DELETE ON fact_assertion
FOR EACH ROW EXECUTE FUNCTION fact_assertion_guard();

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
