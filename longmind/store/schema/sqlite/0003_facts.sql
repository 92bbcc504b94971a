-- Format 3: the ledger of facts. `ledger` is the name of a space, or '*' for what every space sees.

CREATE TABLE fact_entity (
  entity_id         INTEGER PRIMARY KEY,
  ledger            TEXT NOT NULL,
  key               TEXT NOT NULL,
  key_norm          TEXT NOT NULL,
  kind              TEXT NOT NULL DEFAULT '',
  by_hand           INTEGER NOT NULL CHECK (by_hand IN (0, 1)),
  created_at        INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  UNIQUE (key_norm, ledger)
);

-- frame_id: the frame that a name was read from; NULL where someone gave it.
CREATE TABLE fact_alias (
  alias_id          INTEGER PRIMARY KEY,
  entity_id         INTEGER NOT NULL REFERENCES fact_entity(entity_id) ON DELETE CASCADE,
  alias             TEXT NOT NULL,
  alias_norm        TEXT NOT NULL,
  frame_id          INTEGER REFERENCES frame(frame_id),
  since             INTEGER NOT NULL,
  until             INTEGER,
  checksum          INTEGER NOT NULL,
  CHECK (until IS NULL OR until > since)
);

CREATE TABLE fact_predicate (
  predicate_id      INTEGER PRIMARY KEY,
  ledger            TEXT NOT NULL,
  key               TEXT NOT NULL,
  key_norm          TEXT NOT NULL,
  cardinality       TEXT NOT NULL CHECK (cardinality IN ('one', 'many')),
  exact             INTEGER NOT NULL CHECK (exact IN (0, 1)),
  declared          INTEGER NOT NULL CHECK (declared IN (0, 1)),
  created_at        INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  UNIQUE (key_norm, ledger)
);

-- A proposition, once per ledger. object_kind: 1 text, 2 int, 3 double, 4 bool, 5 data, 6 time, 7 entity.
-- object_norm is the text it is compared and ordered by, where that differs from the text given.
CREATE TABLE fact (
  fact_id           INTEGER PRIMARY KEY,
  ledger            TEXT NOT NULL,
  subject_entity_id INTEGER NOT NULL REFERENCES fact_entity(entity_id) ON DELETE RESTRICT,
  predicate_id      INTEGER NOT NULL REFERENCES fact_predicate(predicate_id) ON DELETE RESTRICT,
  object_kind       INTEGER NOT NULL,
  object_text       TEXT,
  object_norm       TEXT,
  object_int        INTEGER,
  object_real       REAL,
  object_bool       INTEGER,
  object_blob       BLOB,
  object_time       INTEGER,
  object_entity_id  INTEGER REFERENCES fact_entity(entity_id) ON DELETE RESTRICT,
  qualifiers        TEXT,
  qualifiers_hash   BLOB,
  fact_hash         BLOB NOT NULL,
  created_at        INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  CHECK (length(fact_hash) = 32),
  CHECK (qualifiers_hash IS NULL OR length(qualifiers_hash) = 32),
  CHECK ((qualifiers IS NULL) = (qualifiers_hash IS NULL)),
  CHECK (object_norm IS NULL OR object_kind = 1),
  CHECK (object_kind BETWEEN 1 AND 7),
  CHECK ((object_kind = 1) = (object_text IS NOT NULL)),
  CHECK ((object_kind = 2) = (object_int IS NOT NULL)),
  CHECK ((object_kind = 3) = (object_real IS NOT NULL)),
  CHECK ((object_kind = 4) = (object_bool IS NOT NULL)),
  CHECK (object_bool IS NULL OR object_bool IN (0, 1)),
  CHECK ((object_kind = 5) = (object_blob IS NOT NULL)),
  CHECK ((object_kind = 6) = (object_time IS NOT NULL)),
  CHECK ((object_kind = 7) = (object_entity_id IS NOT NULL)),
  UNIQUE (fact_hash, ledger)
);

-- When a fact was so (valid) and when the store held it to be so (system); both half-open, NULL = no end.
-- space: where it was recorded from. reason: why it was closed. derived: whether it has rows in fact_premise.
CREATE TABLE fact_span (
  span_id           INTEGER PRIMARY KEY,
  fact_id           INTEGER NOT NULL REFERENCES fact(fact_id) ON DELETE CASCADE,
  space             TEXT NOT NULL,
  valid_from        INTEGER NOT NULL,
  valid_to          INTEGER,
  system_from       INTEGER NOT NULL,
  system_to         INTEGER,
  by_hand           INTEGER NOT NULL CHECK (by_hand IN (0, 1)),
  derived           INTEGER NOT NULL CHECK (derived IN (0, 1)),
  reason            TEXT,
  span_key_hash     BLOB NOT NULL UNIQUE CHECK (length(span_key_hash) = 32),
  created_at        INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  CHECK (valid_to IS NULL OR valid_to > valid_from),
  CHECK (system_to IS NULL OR system_to > system_from)
);

-- Where it is said: on the span (as a rule) or on the fact.
CREATE TABLE fact_evidence (
  evidence_id       INTEGER PRIMARY KEY,
  span_id           INTEGER REFERENCES fact_span(span_id) ON DELETE CASCADE,
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
  CHECK ((span_id IS NOT NULL) <> (fact_id IS NOT NULL)),
  CHECK ((start_byte IS NULL) = (end_byte IS NULL)),
  CHECK (start_byte IS NULL OR (0 <= start_byte AND start_byte < end_byte))
);

-- The facts that a span was derived from; NULL where that fact has been erased.
CREATE TABLE fact_premise (
  span_id           INTEGER NOT NULL REFERENCES fact_span(span_id) ON DELETE CASCADE,
  ordinal           INTEGER NOT NULL,
  premise_fact_id   INTEGER REFERENCES fact(fact_id),
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (span_id, ordinal)
) WITHOUT ROWID;

CREATE INDEX fact_alias_by_norm ON fact_alias(alias_norm);
CREATE UNIQUE INDEX fact_alias_once ON fact_alias(entity_id, alias_norm, (coalesce(frame_id, 0)));
CREATE INDEX fact_alias_by_frame ON fact_alias(frame_id) WHERE frame_id IS NOT NULL;
CREATE INDEX fact_by_subject ON fact(subject_entity_id, predicate_id);
CREATE INDEX fact_edge_out ON fact(subject_entity_id, predicate_id, object_entity_id)
  WHERE object_entity_id IS NOT NULL;
CREATE INDEX fact_edge_in ON fact(object_entity_id, predicate_id, subject_entity_id)
  WHERE object_entity_id IS NOT NULL;
CREATE INDEX fact_span_current ON fact_span(fact_id, system_from, valid_from, valid_to) WHERE system_to IS NULL;
CREATE INDEX fact_span_by_fact ON fact_span(fact_id, system_from);
CREATE INDEX fact_evidence_by_span ON fact_evidence(span_id) WHERE span_id IS NOT NULL;
CREATE INDEX fact_evidence_by_fact ON fact_evidence(fact_id) WHERE fact_id IS NOT NULL;
CREATE INDEX fact_evidence_by_frame ON fact_evidence(frame_id);
CREATE INDEX fact_premise_of ON fact_premise(premise_fact_id) WHERE premise_fact_id IS NOT NULL;

-- History is kept: what was recorded stays as it was, and only an erase removes. The one exception is a span
-- that the running transaction itself opened, which nobody has seen.
CREATE TRIGGER fact_is_immutable BEFORE UPDATE ON fact
BEGIN SELECT RAISE(ABORT, 'facts are immutable'); END;

CREATE TRIGGER fact_is_kept BEFORE DELETE ON fact
WHEN NOT EXISTS (SELECT 1 FROM store_erasing) AND EXISTS (SELECT 1 FROM fact_span WHERE fact_id = OLD.fact_id)
BEGIN SELECT RAISE(ABORT, 'facts are removed by erase alone'); END;

CREATE TRIGGER fact_span_is_immutable BEFORE UPDATE OF
  span_id, fact_id, space, valid_from, valid_to, system_from, derived, span_key_hash, created_at ON fact_span
BEGIN SELECT RAISE(ABORT, 'the spans of facts are immutable'); END;

CREATE TRIGGER fact_span_closes_once BEFORE UPDATE OF system_to, reason ON fact_span WHEN OLD.system_to IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a closed span stays closed'); END;

CREATE TRIGGER fact_span_is_kept BEFORE DELETE ON fact_span
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
  AND OLD.system_from < (SELECT last_system FROM store_clock)
BEGIN SELECT RAISE(ABORT, 'the spans of facts are removed by erase alone'); END;

CREATE TRIGGER fact_evidence_is_immutable BEFORE UPDATE ON fact_evidence
BEGIN SELECT RAISE(ABORT, 'evidence is immutable'); END;

CREATE TRIGGER fact_evidence_is_kept BEFORE DELETE ON fact_evidence
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
  AND OLD.recorded_at < (SELECT last_system FROM store_clock)
BEGIN SELECT RAISE(ABORT, 'evidence is removed by erase alone'); END;
