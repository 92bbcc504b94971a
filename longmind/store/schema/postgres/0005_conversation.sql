-- Format 5: conversation. A memory is a name over versions of a frame; how it stands is dated, and so is every
-- decision about it. The last two tables are derived: made anew from the others by reindex.

CREATE TABLE conversation_memory (
  memory_id         BIGINT NOT NULL PRIMARY KEY,
  space             TEXT COLLATE "C" NOT NULL,
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL
);

-- What it says, and which slot of whom that fills; a free text fills none.
CREATE TABLE conversation_version (
  memory_id         BIGINT NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  number            BIGINT NOT NULL,
  frame_id          BIGINT NOT NULL UNIQUE REFERENCES frame(frame_id),
  subject           TEXT COLLATE "C",
  slot              TEXT COLLATE "C",
  value             TEXT,
  polarity          BIGINT NOT NULL CHECK (polarity IN (0, 1)),
  ended             BIGINT NOT NULL CHECK (ended IN (0, 1)),
  cardinality       TEXT NOT NULL CHECK (cardinality IN ('one', 'many')),
  rule              TEXT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (memory_id, number),
  CHECK ((subject IS NULL) = (slot IS NULL) AND (slot IS NULL) = (value IS NULL))
);

-- How it stood from `since` until `until` in system time, with the score reckoned when that began.
CREATE TABLE conversation_state (
  memory_id         BIGINT NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  since             BIGINT NOT NULL,
  until             BIGINT,
  layer             TEXT NOT NULL CHECK (layer IN ('mid', 'long')),
  status            TEXT NOT NULL CHECK (status IN ('active', 'archived', 'deleted')),
  hits              BIGINT NOT NULL CHECK (hits >= 0),
  importance        BIGINT NOT NULL CHECK (importance IN (0, 1)),
  last_seen_at      BIGINT,
  score             DOUBLE PRECISION NOT NULL,
  scored_at         BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (memory_id, since),
  CHECK (until IS NULL OR until > since)
);

-- Where it was said: the turn, and the bytes of it.
CREATE TABLE conversation_link (
  memory_id         BIGINT NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  frame_id          BIGINT NOT NULL REFERENCES frame(frame_id),
  reason            TEXT NOT NULL,
  rule              TEXT NOT NULL,
  start_byte        BIGINT,
  end_byte          BIGINT,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (memory_id, frame_id, reason)
);

-- One sweep: the `now` it was given, the weights it used, what came of it.
CREATE TABLE conversation_run (
  run_id            BIGINT NOT NULL PRIMARY KEY,
  space             TEXT COLLATE "C" NOT NULL,
  now               BIGINT NOT NULL,
  weights           TEXT NOT NULL,
  summary           TEXT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL
);

-- What was decided about a memory, and from what; `at` is the time it was reckoned with.
CREATE TABLE conversation_decision (
  decision_id       BIGINT NOT NULL PRIMARY KEY,
  memory_id         BIGINT NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  run_id            BIGINT REFERENCES conversation_run(run_id),
  action            TEXT NOT NULL,
  at                BIGINT NOT NULL,
  inputs            TEXT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL
);

-- Keyed hashes of what was erased, so that it is not extracted again.
CREATE TABLE conversation_tombstone (
  space             TEXT COLLATE "C" NOT NULL,
  name              BYTEA NOT NULL CHECK (length(name) = 32),
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (space, name)
);

-- How extraction went, counted.
CREATE TABLE conversation_outcome (
  space             TEXT COLLATE "C" NOT NULL,
  extractor         TEXT COLLATE "C" NOT NULL,
  outcome           TEXT COLLATE "C" NOT NULL,
  times             BIGINT NOT NULL,
  micros            BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (space, extractor, outcome)
);

-- What language models were asked and what it cost, in millionths of the currency.
CREATE TABLE llm_call (
  call_id           BIGINT NOT NULL PRIMARY KEY,
  space             TEXT COLLATE "C" NOT NULL,
  provider          TEXT COLLATE "C" NOT NULL,
  model             TEXT NOT NULL,
  outcome           TEXT COLLATE "C" NOT NULL,
  input_tokens      BIGINT NOT NULL,
  output_tokens     BIGINT NOT NULL,
  cost_micros       BIGINT NOT NULL,
  millis            BIGINT NOT NULL,
  at                BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL
);

-- Derived: how each memory stands now, with the score of the last reckoning.
CREATE TABLE conversation_current (
  memory_id         BIGINT NOT NULL PRIMARY KEY REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  space             TEXT COLLATE "C" NOT NULL,
  frame_id          BIGINT NOT NULL,
  layer             TEXT NOT NULL,
  status            TEXT NOT NULL,
  score             DOUBLE PRECISION NOT NULL,
  scored_at         BIGINT NOT NULL,
  pii               BIGINT NOT NULL,
  subject_key       TEXT COLLATE "C",
  slot              TEXT COLLATE "C",
  value_key         TEXT COLLATE "C"
);

-- Derived: the words of each active memory, with how many words it has.
CREATE TABLE conversation_word (
  space             TEXT COLLATE "C" NOT NULL,
  word              BIGINT NOT NULL,
  size              BIGINT NOT NULL,
  memory_id         BIGINT NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  PRIMARY KEY (space, word, size, memory_id)
);

CREATE INDEX conversation_state_now ON conversation_state(memory_id) WHERE until IS NULL;
CREATE INDEX conversation_link_by_frame ON conversation_link(frame_id);
CREATE INDEX conversation_decision_by_memory ON conversation_decision(memory_id);
CREATE INDEX conversation_run_by_space ON conversation_run(space, recorded_at);
CREATE INDEX conversation_memory_by_space ON conversation_memory(space);
CREATE INDEX conversation_current_by_score ON conversation_current(space, status, layer, score, memory_id);
CREATE INDEX conversation_current_by_value ON conversation_current(space, subject_key, slot, value_key)
  WHERE status = 'active' AND slot IS NOT NULL;
CREATE INDEX conversation_word_by_memory ON conversation_word(memory_id);
CREATE INDEX llm_call_by_provider ON llm_call(provider, space);

-- History is kept: only an erase removes, and of a state only its end is written later.
CREATE FUNCTION conversation_memory_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM store_erasing) THEN
    RAISE EXCEPTION 'memories are removed by erase alone';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER conversation_memory_is_kept BEFORE DELETE ON conversation_memory
FOR EACH ROW EXECUTE FUNCTION conversation_memory_guard();

CREATE FUNCTION conversation_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'versions of a memory and decisions about it are immutable';
END $$;

CREATE TRIGGER conversation_version_is_immutable BEFORE UPDATE ON conversation_version
FOR EACH ROW EXECUTE FUNCTION conversation_immutable();
CREATE TRIGGER conversation_decision_is_immutable BEFORE UPDATE ON conversation_decision
FOR EACH ROW EXECUTE FUNCTION conversation_immutable();

CREATE FUNCTION conversation_state_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.until IS NOT NULL THEN
    RAISE EXCEPTION 'what was so until then stays';
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER conversation_state_ends_once BEFORE UPDATE ON conversation_state
FOR EACH ROW EXECUTE FUNCTION conversation_state_guard();
