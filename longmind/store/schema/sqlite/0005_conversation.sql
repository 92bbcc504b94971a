-- Format 5: conversation. A memory is a name over versions of a frame; how it stands is dated, and so is every
-- decision about it. The last two tables are derived: made anew from the others by reindex.

CREATE TABLE conversation_memory (
  memory_id         INTEGER NOT NULL PRIMARY KEY,
  space             TEXT NOT NULL,
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL
) STRICT;

-- What it says, and which slot of whom that fills; a free text fills none.
CREATE TABLE conversation_version (
  memory_id         INTEGER NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  number            INTEGER NOT NULL,
  frame_id          INTEGER NOT NULL UNIQUE REFERENCES frame(frame_id),
  subject           TEXT,
  slot              TEXT,
  value             TEXT,
  polarity          INTEGER NOT NULL CHECK (polarity IN (0, 1)),
  ended             INTEGER NOT NULL CHECK (ended IN (0, 1)),
  cardinality       TEXT NOT NULL CHECK (cardinality IN ('one', 'many')),
  rule              TEXT NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (memory_id, number),
  CHECK ((subject IS NULL) = (slot IS NULL) AND (slot IS NULL) = (value IS NULL))
) STRICT, WITHOUT ROWID;

-- How it stood from `since` until `until` in system time, with the score reckoned when that began.
CREATE TABLE conversation_state (
  memory_id         INTEGER NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  since             INTEGER NOT NULL,
  until             INTEGER,
  layer             TEXT NOT NULL CHECK (layer IN ('mid', 'long')),
  status            TEXT NOT NULL CHECK (status IN ('active', 'archived', 'deleted')),
  hits              INTEGER NOT NULL CHECK (hits >= 0),
  importance        INTEGER NOT NULL CHECK (importance IN (0, 1)),
  last_seen_at      INTEGER,
  score             REAL NOT NULL,
  scored_at         INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (memory_id, since),
  CHECK (until IS NULL OR until > since)
) STRICT, WITHOUT ROWID;

-- Where it was said: the turn, and the bytes of it.
CREATE TABLE conversation_link (
  memory_id         INTEGER NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  frame_id          INTEGER NOT NULL REFERENCES frame(frame_id),
  reason            TEXT NOT NULL,
  rule              TEXT NOT NULL,
  start_byte        INTEGER,
  end_byte          INTEGER,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (memory_id, frame_id, reason)
) STRICT, WITHOUT ROWID;

-- One sweep: the `now` it was given, the weights it used, what came of it.
CREATE TABLE conversation_run (
  run_id            INTEGER NOT NULL PRIMARY KEY,
  space             TEXT NOT NULL,
  now               INTEGER NOT NULL,
  weights           TEXT NOT NULL,
  summary           TEXT NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL
) STRICT;

-- What was decided about a memory, and from what; `at` is the time it was reckoned with.
CREATE TABLE conversation_decision (
  decision_id       INTEGER NOT NULL PRIMARY KEY,
  memory_id         INTEGER NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  run_id            INTEGER REFERENCES conversation_run(run_id),
  action            TEXT NOT NULL,
  at                INTEGER NOT NULL,
  inputs            TEXT NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL
) STRICT;

-- Keyed hashes of what was erased, so that it is not extracted again.
CREATE TABLE conversation_tombstone (
  space             TEXT NOT NULL,
  name              BLOB NOT NULL CHECK (length(name) = 32),
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;

-- How extraction went, counted.
CREATE TABLE conversation_outcome (
  space             TEXT NOT NULL,
  extractor         TEXT NOT NULL,
  outcome           TEXT NOT NULL,
  times             INTEGER NOT NULL,
  micros            INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (space, extractor, outcome)
) STRICT, WITHOUT ROWID;

-- What language models were asked and what it cost, in millionths of the currency.
CREATE TABLE llm_call (
  call_id           INTEGER NOT NULL PRIMARY KEY,
  space             TEXT NOT NULL,
  provider          TEXT NOT NULL,
  model             TEXT NOT NULL,
  outcome           TEXT NOT NULL,
  input_tokens      INTEGER NOT NULL,
  output_tokens     INTEGER NOT NULL,
  cost_micros       INTEGER NOT NULL,
  millis            INTEGER NOT NULL,
  at                INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL
) STRICT;

-- Derived: how each memory stands now, with the score of the last reckoning.
CREATE TABLE conversation_current (
  memory_id         INTEGER NOT NULL PRIMARY KEY REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  space             TEXT NOT NULL,
  frame_id          INTEGER NOT NULL,
  layer             TEXT NOT NULL,
  status            TEXT NOT NULL,
  score             REAL NOT NULL,
  scored_at         INTEGER NOT NULL,
  pii               INTEGER NOT NULL,
  subject_key       TEXT,
  slot              TEXT,
  value_key         TEXT
) STRICT;

-- Derived: the words of each active memory, with how many words it has.
CREATE TABLE conversation_word (
  space             TEXT NOT NULL,
  word              INTEGER NOT NULL,
  size              INTEGER NOT NULL,
  memory_id         INTEGER NOT NULL REFERENCES conversation_memory(memory_id) ON DELETE CASCADE,
  PRIMARY KEY (space, word, size, memory_id)
) STRICT, WITHOUT ROWID;

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
CREATE TRIGGER conversation_memory_is_kept BEFORE DELETE ON conversation_memory
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'memories are removed by erase alone'); END;

CREATE TRIGGER conversation_version_is_immutable BEFORE UPDATE ON conversation_version
BEGIN SELECT RAISE(ABORT, 'versions of a memory are immutable'); END;

CREATE TRIGGER conversation_decision_is_immutable BEFORE UPDATE ON conversation_decision
BEGIN SELECT RAISE(ABORT, 'decisions are never edited'); END;

CREATE TRIGGER conversation_state_ends_once BEFORE UPDATE ON conversation_state WHEN OLD.until IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'what was so until then stays'); END;
