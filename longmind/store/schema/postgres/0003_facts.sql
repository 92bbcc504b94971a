-- Format 3: the ledger of facts. `ledger` is the name of a space, or '*' for what every space sees.
-- What results are ordered by compares by bytes ("C"), so that both engines list alike.

CREATE TABLE fact_entity (
  entity_id         BIGINT PRIMARY KEY,
  ledger            TEXT COLLATE "C" NOT NULL,
  key               TEXT NOT NULL,
  key_norm          TEXT COLLATE "C" NOT NULL,
  kind              TEXT NOT NULL DEFAULT '',
  by_hand           BIGINT NOT NULL CHECK (by_hand IN (0, 1)),
  created_at        BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  UNIQUE (key_norm, ledger)
);

-- frame_id: the frame that a name was read from; NULL where someone gave it.
CREATE TABLE fact_alias (
  alias_id          BIGINT PRIMARY KEY,
  entity_id         BIGINT NOT NULL REFERENCES fact_entity(entity_id) ON DELETE CASCADE,
  alias             TEXT NOT NULL,
  alias_norm        TEXT COLLATE "C" NOT NULL,
  frame_id          BIGINT REFERENCES frame(frame_id),
  since             BIGINT NOT NULL,
  until             BIGINT,
  checksum          BIGINT NOT NULL,
  CHECK (until IS NULL OR until > since)
);

CREATE TABLE fact_predicate (
  predicate_id      BIGINT PRIMARY KEY,
  ledger            TEXT COLLATE "C" NOT NULL,
  key               TEXT NOT NULL,
  key_norm          TEXT COLLATE "C" NOT NULL,
  cardinality       TEXT NOT NULL CHECK (cardinality IN ('one', 'many')),
  exact             BIGINT NOT NULL CHECK (exact IN (0, 1)),
  declared          BIGINT NOT NULL CHECK (declared IN (0, 1)),
  created_at        BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  UNIQUE (key_norm, ledger)
);

-- A proposition, once per ledger. object_kind: 1 text, 2 int, 3 double, 4 bool, 5 data, 6 time, 7 entity.
-- object_norm is the text it is compared and ordered by, where that differs from the text given.
CREATE TABLE fact (
  fact_id           BIGINT PRIMARY KEY,
  ledger            TEXT COLLATE "C" NOT NULL,
  subject_entity_id BIGINT NOT NULL REFERENCES fact_entity(entity_id) ON DELETE RESTRICT,
  predicate_id      BIGINT NOT NULL REFERENCES fact_predicate(predicate_id) ON DELETE RESTRICT,
  object_kind       BIGINT NOT NULL,
  object_text       TEXT COLLATE "C",
  object_norm       TEXT COLLATE "C",
  object_int        BIGINT,
  object_real       DOUBLE PRECISION,
  object_bool       BIGINT,
  object_blob       BYTEA,
  object_time       BIGINT,
  object_entity_id  BIGINT REFERENCES fact_entity(entity_id) ON DELETE RESTRICT,
  qualifiers        TEXT,
  qualifiers_hash   BYTEA,
  fact_hash         BYTEA NOT NULL,
  created_at        BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
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
  span_id           BIGINT PRIMARY KEY,
  fact_id           BIGINT NOT NULL REFERENCES fact(fact_id) ON DELETE CASCADE,
  space             TEXT NOT NULL,
  valid_from        BIGINT NOT NULL,
  valid_to          BIGINT,
  system_from       BIGINT NOT NULL,
  system_to         BIGINT,
  by_hand           BIGINT NOT NULL CHECK (by_hand IN (0, 1)),
  derived           BIGINT NOT NULL CHECK (derived IN (0, 1)),
  reason            TEXT,
  span_key_hash     BYTEA NOT NULL UNIQUE CHECK (length(span_key_hash) = 32),
  created_at        BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  CHECK (valid_to IS NULL OR valid_to > valid_from),
  CHECK (system_to IS NULL OR system_to > system_from)
);

-- Where it is said: on the span (as a rule) or on the fact.
CREATE TABLE fact_evidence (
  evidence_id       BIGINT PRIMARY KEY,
  span_id           BIGINT REFERENCES fact_span(span_id) ON DELETE CASCADE,
  fact_id           BIGINT REFERENCES fact(fact_id) ON DELETE CASCADE,
  frame_id          BIGINT NOT NULL REFERENCES frame(frame_id),
  chunk             BIGINT,
  start_byte        BIGINT,
  end_byte          BIGINT,
  extractor         TEXT NOT NULL,
  extractor_version TEXT NOT NULL,
  confidence        DOUBLE PRECISION,
  asserted_at       BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  created_at        BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  CHECK ((span_id IS NOT NULL) <> (fact_id IS NOT NULL)),
  CHECK ((start_byte IS NULL) = (end_byte IS NULL)),
  CHECK (start_byte IS NULL OR (0 <= start_byte AND start_byte < end_byte))
);

-- The facts that a span was derived from; NULL where that fact has been erased.
CREATE TABLE fact_premise (
  span_id           BIGINT NOT NULL REFERENCES fact_span(span_id) ON DELETE CASCADE,
  ordinal           BIGINT NOT NULL,
  premise_fact_id   BIGINT REFERENCES fact(fact_id),
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (span_id, ordinal)
);

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
CREATE FUNCTION fact_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'facts are immutable';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM store_erasing)
     AND EXISTS (SELECT 1 FROM fact_span WHERE fact_id = OLD.fact_id) THEN
    RAISE EXCEPTION 'facts are removed by erase alone';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER fact_guarded BEFORE UPDATE OR DELETE ON fact
FOR EACH ROW EXECUTE FUNCTION fact_guard();

CREATE FUNCTION fact_span_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT 1 FROM store_erasing)
       AND OLD.system_from < (SELECT last_system FROM store_clock) THEN
      RAISE EXCEPTION 'the spans of facts are removed by erase alone';
    END IF;
    RETURN OLD;
  END IF;
  IF (OLD.span_id, OLD.fact_id, OLD.space, OLD.valid_from, OLD.valid_to, OLD.system_from, OLD.derived,
      OLD.span_key_hash, OLD.created_at)
     IS DISTINCT FROM
     (NEW.span_id, NEW.fact_id, NEW.space, NEW.valid_from, NEW.valid_to, NEW.system_from, NEW.derived,
      NEW.span_key_hash, NEW.created_at) THEN
    RAISE EXCEPTION 'the spans of facts are immutable';
  END IF;
  IF OLD.system_to IS NOT NULL
     AND (OLD.system_to, OLD.reason) IS DISTINCT FROM (NEW.system_to, NEW.reason) THEN
    RAISE EXCEPTION 'a closed span stays closed';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER fact_span_guarded BEFORE UPDATE OR DELETE ON fact_span
FOR EACH ROW EXECUTE FUNCTION fact_span_guard();

CREATE FUNCTION fact_evidence_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION 'evidence is immutable';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM store_erasing)
     AND OLD.recorded_at < (SELECT last_system FROM store_clock) THEN
    RAISE EXCEPTION 'evidence is removed by erase alone';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER fact_evidence_guarded BEFORE UPDATE OR DELETE ON fact_evidence
FOR EACH ROW EXECUTE FUNCTION fact_evidence_guard();
