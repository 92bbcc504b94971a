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

-- Assertions. Each thing that was said is a row; `fact_span` is what follows from all of them.

-- action: record and correct hold the value, replace holds it and ends other values, end and a record of
-- polarity 0 end it, retract takes back what was said before. fact_id is NULL where every value is meant.
-- trust: 1 low, 2 normal, 3 high. held_back: in quarantine until it is confirmed.
CREATE TABLE fact_assertion (
  assertion_id      INTEGER PRIMARY KEY,
  ledger            TEXT NOT NULL,
  space             TEXT NOT NULL,
  subject_entity_id INTEGER NOT NULL REFERENCES fact_entity(entity_id) ON DELETE RESTRICT,
  predicate_id      INTEGER NOT NULL REFERENCES fact_predicate(predicate_id) ON DELETE RESTRICT,
  fact_id           INTEGER REFERENCES fact(fact_id),
  qualifiers_hash   BLOB,
  action            TEXT NOT NULL CHECK (action IN ('record', 'correct', 'replace', 'end', 'retract')),
  polarity          INTEGER NOT NULL CHECK (polarity IN (0, 1)),
  valid_from        INTEGER NOT NULL,
  valid_to          INTEGER,
  system_from       INTEGER NOT NULL,
  system_to         INTEGER,
  by_hand           INTEGER NOT NULL CHECK (by_hand IN (0, 1)),
  derived           INTEGER NOT NULL CHECK (derived IN (0, 1)),
  channel           TEXT NOT NULL,
  speaker           TEXT,
  said_by           TEXT,
  trust             INTEGER NOT NULL CHECK (trust BETWEEN 1 AND 3),
  held_back         INTEGER NOT NULL CHECK (held_back IN (0, 1)),
  reason            TEXT,
  created_at        INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  CHECK (valid_to IS NULL OR valid_to > valid_from),
  CHECK (system_to IS NULL OR system_to > system_from),
  CHECK (fact_id IS NOT NULL OR action IN ('end', 'retract'))
);

-- Which assertions a span rests on.
CREATE TABLE fact_support (
  span_id           INTEGER NOT NULL REFERENCES fact_span(span_id) ON DELETE CASCADE,
  assertion_id      INTEGER NOT NULL REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (span_id, assertion_id)
) WITHOUT ROWID;

-- What was decided about an assertion in quarantine.
CREATE TABLE fact_ruling (
  ruling_id         INTEGER PRIMARY KEY,
  assertion_id      INTEGER NOT NULL REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  confirmed         INTEGER NOT NULL CHECK (confirmed IN (0, 1)),
  since             INTEGER NOT NULL,
  until             INTEGER,
  checksum          INTEGER NOT NULL,
  CHECK (until IS NULL OR until > since)
);

-- That two entities are the same: while it lasts, what is said of one is held of the other.
CREATE TABLE fact_same (
  same_id           INTEGER PRIMARY KEY,
  entity_id         INTEGER NOT NULL REFERENCES fact_entity(entity_id) ON DELETE CASCADE,
  into_id           INTEGER NOT NULL REFERENCES fact_entity(entity_id) ON DELETE CASCADE,
  since             INTEGER NOT NULL,
  until             INTEGER,
  checksum          INTEGER NOT NULL,
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

-- SQLite cannot change what a column refers to: both tables are made anew.
CREATE TABLE fact_evidence_new (
  evidence_id       INTEGER PRIMARY KEY,
  assertion_id      INTEGER REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  fact_id           INTEGER REFERENCES fact(fact_id) ON DELETE CASCADE,
  frame_id          INTEGER NOT NULL REFERENCES frame(frame_id),
  chunk             INTEGER,
  start_byte        INTEGER,
  end_byte          INTEGER,
  extractor         TEXT NOT NULL,
  extractor_version TEXT NOT NULL,
  confidence        REAL,
  asserted_at       INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  created_at        INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  CHECK ((assertion_id IS NOT NULL) <> (fact_id IS NOT NULL)),
  CHECK ((start_byte IS NULL) = (end_byte IS NULL)),
  CHECK (start_byte IS NULL OR (0 <= start_byte AND start_byte < end_byte))
);

CREATE TABLE fact_premise_new (
  assertion_id      INTEGER NOT NULL REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  ordinal           INTEGER NOT NULL,
  premise_fact_id   INTEGER REFERENCES fact(fact_id),
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (assertion_id, ordinal)
) WITHOUT ROWID;

INSERT INTO fact_evidence_new SELECT * FROM fact_evidence;
DROP TABLE fact_evidence;
ALTER TABLE fact_evidence_new RENAME TO fact_evidence;

INSERT INTO fact_premise_new SELECT * FROM fact_premise;
DROP TABLE fact_premise;
ALTER TABLE fact_premise_new RENAME TO fact_premise;

CREATE INDEX fact_evidence_by_assertion ON fact_evidence(assertion_id) WHERE assertion_id IS NOT NULL;
CREATE INDEX fact_evidence_by_fact ON fact_evidence(fact_id) WHERE fact_id IS NOT NULL;
CREATE INDEX fact_evidence_by_frame ON fact_evidence(frame_id);
CREATE INDEX fact_premise_of ON fact_premise(premise_fact_id) WHERE premise_fact_id IS NOT NULL;

CREATE INDEX fact_assertion_by_fact ON fact_assertion(fact_id) WHERE fact_id IS NOT NULL;
CREATE INDEX fact_assertion_by_subject ON fact_assertion(subject_entity_id, predicate_id, valid_from);
CREATE INDEX fact_assertion_wide ON fact_assertion(subject_entity_id, predicate_id)
  WHERE fact_id IS NULL OR action = 'replace';
CREATE INDEX fact_assertion_held_back ON fact_assertion(ledger) WHERE held_back = 1;
CREATE INDEX fact_support_of ON fact_support(assertion_id);
CREATE INDEX fact_ruling_on ON fact_ruling(assertion_id);
CREATE INDEX fact_same_entity ON fact_same(entity_id);
CREATE INDEX fact_same_into ON fact_same(into_id);

CREATE TRIGGER fact_evidence_is_immutable BEFORE UPDATE ON fact_evidence
BEGIN SELECT RAISE(ABORT, 'evidence is immutable'); END;

CREATE TRIGGER fact_evidence_is_kept BEFORE DELETE ON fact_evidence
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
  AND OLD.recorded_at < (SELECT last_system FROM store_clock)
BEGIN SELECT RAISE(ABORT, 'evidence is removed by erase alone'); END;

CREATE TRIGGER fact_assertion_is_immutable BEFORE UPDATE OF
  assertion_id, ledger, space, subject_entity_id, predicate_id, fact_id, qualifiers_hash, action, polarity,
  valid_from, valid_to, system_from, system_to, by_hand, derived, channel, speaker, said_by, trust, held_back,
  reason, created_at ON fact_assertion
BEGIN SELECT RAISE(ABORT, 'assertions are immutable'); END;

CREATE TRIGGER fact_assertion_is_kept BEFORE DELETE ON fact_assertion
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
  AND OLD.system_from < (SELECT last_system FROM store_clock)
BEGIN SELECT RAISE(ABORT, 'assertions are removed by erase alone'); END;

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
