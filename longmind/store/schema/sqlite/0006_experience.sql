-- Format 6: experience. A record is a frame with a name of its own; what hangs between records is dated.
-- created_at is the clock's reading, recorded_at the system time. Tables are STRICT: no value of another type.

CREATE TABLE experience_record (
  record_id         TEXT NOT NULL PRIMARY KEY,
  frame_id          INTEGER NOT NULL UNIQUE REFERENCES frame(frame_id),
  repo              TEXT NOT NULL,
  scope             TEXT NOT NULL CHECK (scope IN ('repo', 'global')),
  kind              TEXT NOT NULL CHECK (kind IN (
    'problem', 'solution', 'failed_tactic', 'fact', 'preference', 'change')),
  write_confidence  REAL CHECK (write_confidence >= 0 AND write_confidence <= 1),
  without_evidence  INTEGER NOT NULL CHECK (without_evidence IN (0, 1)),
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A problem and what was tried on it.
CREATE TABLE experience_attempt (
  problem_id        TEXT NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  attempt_id        TEXT NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  role              TEXT NOT NULL CHECK (role IN ('solution', 'failed_tactic')),
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (problem_id, attempt_id)
) STRICT, WITHOUT ROWID;

-- Old fact and change make the new fact.
CREATE TABLE experience_fact_update (
  update_id         TEXT NOT NULL PRIMARY KEY,
  old_fact_id       TEXT NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  change_id         TEXT NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  new_fact_id       TEXT NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  CHECK (old_fact_id <> new_fact_id),
  UNIQUE (old_fact_id, change_id, new_fact_id)
) STRICT, WITHOUT ROWID;

-- How useful a record was for a problem: an observation, never edited.
CREATE TABLE experience_vote (
  vote_id           TEXT NOT NULL PRIMARY KEY,
  memory_id         TEXT NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  problem_id        TEXT NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  vote              REAL NOT NULL CHECK (vote >= -1 AND vote <= 1),
  rationale         TEXT,
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Where it can be seen, once per repository. The reference begins with its kind.
CREATE TABLE experience_evidence (
  evidence_id       TEXT NOT NULL PRIMARY KEY,
  repo              TEXT NOT NULL,
  kind              TEXT NOT NULL CHECK (kind IN ('file', 'commit', 'url', 'test', 'issue', 'turn', 'frame')),
  ref               TEXT NOT NULL,
  frame_id          INTEGER REFERENCES frame(frame_id),
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  CHECK (substr(ref, 1, length(kind) + 1) = kind || ':'),
  CHECK ((kind = 'frame') = (frame_id IS NOT NULL)),
  CHECK (frame_id IS NULL OR ref = 'frame:' || frame_id),
  UNIQUE (repo, ref)
) STRICT, WITHOUT ROWID;

-- Written before its record, which is refused without: hence the deferred reference.
CREATE TABLE experience_record_evidence (
  record_id         TEXT NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE
                    DEFERRABLE INITIALLY DEFERRED,
  evidence_id       TEXT NOT NULL REFERENCES experience_evidence(evidence_id) ON DELETE CASCADE,
  ordinal           INTEGER NOT NULL CHECK (ordinal >= 0),
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL,
  PRIMARY KEY (record_id, evidence_id)
) STRICT, WITHOUT ROWID;

-- Out of use, as a dated row: from 0 to 1, once, and never back.
CREATE TABLE experience_archive (
  record_id         TEXT NOT NULL PRIMARY KEY REFERENCES experience_record(record_id) ON DELETE CASCADE,
  reason            TEXT,
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- An edit: another record that stands in for this one.
CREATE TABLE experience_revision (
  old_id            TEXT NOT NULL PRIMARY KEY REFERENCES experience_record(record_id) ON DELETE CASCADE,
  new_id            TEXT NOT NULL UNIQUE REFERENCES experience_record(record_id) ON DELETE CASCADE,
  created_at        INTEGER NOT NULL,
  recorded_at       INTEGER NOT NULL,
  checksum          INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX experience_record_by_kind ON experience_record(repo, scope, kind);
CREATE INDEX experience_record_by_time ON experience_record(created_at);
CREATE INDEX experience_attempt_by_attempt ON experience_attempt(attempt_id);
CREATE INDEX experience_fact_update_by_change ON experience_fact_update(change_id);
CREATE INDEX experience_fact_update_by_new ON experience_fact_update(new_fact_id);
CREATE INDEX experience_vote_by_memory ON experience_vote(memory_id);
CREATE INDEX experience_vote_by_problem ON experience_vote(problem_id);
CREATE INDEX experience_vote_by_time ON experience_vote(created_at);
CREATE INDEX experience_evidence_by_frame ON experience_evidence(frame_id) WHERE frame_id IS NOT NULL;
CREATE INDEX experience_record_evidence_by_evidence ON experience_record_evidence(evidence_id);

-- Facts that no update has replaced.
CREATE VIEW current_fact_snapshot AS
SELECT r.record_id AS id, r.repo AS repo_id, r.scope, r.kind, t.text, r.write_confidence, r.created_at,
  0 AS archived, r.frame_id
FROM experience_record r
JOIN frame f ON f.frame_id = r.frame_id
JOIN frame_text t ON t.frame_id = r.frame_id
WHERE r.kind = 'fact' AND f.retired_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM experience_archive a WHERE a.record_id = r.record_id)
  AND NOT EXISTS (SELECT 1 FROM experience_fact_update u WHERE u.old_fact_id = r.record_id);

CREATE VIEW global_utility AS
SELECT memory_id, avg(vote) AS utility_mean, count(*) AS observations
FROM experience_vote
GROUP BY memory_id;

-- What a row must be, whoever inserts it. Each trigger looks for the same key first: REPLACE would remove the
-- row that has it without asking the triggers below.
CREATE TRIGGER experience_record_is_sound BEFORE INSERT ON experience_record
BEGIN
  SELECT RAISE(ABORT, 'records are immutable') WHERE EXISTS (
    SELECT 1 FROM experience_record WHERE record_id = NEW.record_id OR frame_id = NEW.frame_id);
  SELECT RAISE(ABORT, 'a record has the kind, repository, scope and time of its frame') WHERE NOT EXISTS (
    SELECT 1 FROM frame f WHERE f.frame_id = NEW.frame_id AND f.start_byte IS NULL AND f.kind = NEW.kind
      AND f.space = NEW.repo AND f.scope = CASE NEW.scope WHEN 'repo' THEN 'space' ELSE NEW.scope END
      AND f.recorded_at = NEW.recorded_at);
  SELECT RAISE(ABORT, 'a record needs evidence, or says that there is none')
  WHERE NEW.without_evidence = 0 AND NOT EXISTS (
    SELECT 1 FROM experience_record_evidence WHERE record_id = NEW.record_id);
  SELECT RAISE(ABORT, 'evidence lies in the repository of its record') WHERE EXISTS (
    SELECT 1 FROM experience_record_evidence l JOIN experience_evidence e ON e.evidence_id = l.evidence_id
    WHERE l.record_id = NEW.record_id AND e.repo <> NEW.repo);
END;

CREATE TRIGGER experience_attempt_is_sound BEFORE INSERT ON experience_attempt
BEGIN
  SELECT RAISE(ABORT, 'links are immutable') WHERE EXISTS (
    SELECT 1 FROM experience_attempt WHERE problem_id = NEW.problem_id AND attempt_id = NEW.attempt_id);
  SELECT RAISE(ABORT, 'an attempt is made on a problem') WHERE NOT EXISTS (
    SELECT 1 FROM experience_record WHERE record_id = NEW.problem_id AND kind = 'problem');
  SELECT RAISE(ABORT, 'an attempt is of the kind that its role says') WHERE NOT EXISTS (
    SELECT 1 FROM experience_record WHERE record_id = NEW.attempt_id AND kind = NEW.role);
  SELECT RAISE(ABORT, 'the ends of a link are seen from one repository') WHERE NOT EXISTS (
    SELECT 1 FROM experience_record p JOIN experience_record a
    ON p.repo = a.repo OR p.scope = 'global' OR a.scope = 'global'
    WHERE p.record_id = NEW.problem_id AND a.record_id = NEW.attempt_id);
END;

CREATE TRIGGER experience_fact_update_is_sound BEFORE INSERT ON experience_fact_update
BEGIN
  SELECT RAISE(ABORT, 'updates of facts are immutable') WHERE EXISTS (
    SELECT 1 FROM experience_fact_update WHERE update_id = NEW.update_id OR (
      old_fact_id = NEW.old_fact_id AND change_id = NEW.change_id AND new_fact_id = NEW.new_fact_id));
  SELECT RAISE(ABORT, 'an update replaces a fact by a fact') WHERE 2 <> (
    SELECT count(*) FROM experience_record
    WHERE record_id IN (NEW.old_fact_id, NEW.new_fact_id) AND kind = 'fact');
  SELECT RAISE(ABORT, 'an update rests on a change') WHERE NOT EXISTS (
    SELECT 1 FROM experience_record WHERE record_id = NEW.change_id AND kind = 'change');
  SELECT RAISE(ABORT, 'who sees a fact sees what replaced it') WHERE EXISTS (
    SELECT 1 FROM experience_record o JOIN experience_record r ON r.record_id IN (NEW.change_id, NEW.new_fact_id)
    WHERE o.record_id = NEW.old_fact_id
      AND r.scope <> 'global' AND (o.scope = 'global' OR r.repo <> o.repo));
  SELECT RAISE(ABORT, 'a fact is not replaced by itself, through however many updates') WHERE EXISTS (
    WITH RECURSIVE later(id) AS (
      SELECT NEW.new_fact_id
      UNION SELECT u.new_fact_id FROM experience_fact_update u JOIN later ON u.old_fact_id = later.id)
    SELECT 1 FROM later WHERE id = NEW.old_fact_id);
END;

CREATE TRIGGER experience_vote_is_sound BEFORE INSERT ON experience_vote
BEGIN
  SELECT RAISE(ABORT, 'votes are never edited') WHERE EXISTS (
    SELECT 1 FROM experience_vote WHERE vote_id = NEW.vote_id);
  SELECT RAISE(ABORT, 'a vote is given for a problem') WHERE NOT EXISTS (
    SELECT 1 FROM experience_record WHERE record_id = NEW.problem_id AND kind = 'problem');
  SELECT RAISE(ABORT, 'the ends of a vote are seen from one repository') WHERE NOT EXISTS (
    SELECT 1 FROM experience_record p JOIN experience_record m
    ON p.repo = m.repo OR p.scope = 'global' OR m.scope = 'global'
    WHERE p.record_id = NEW.problem_id AND m.record_id = NEW.memory_id);
END;

CREATE TRIGGER experience_evidence_is_sound BEFORE INSERT ON experience_evidence
BEGIN
  SELECT RAISE(ABORT, 'evidence is immutable') WHERE EXISTS (
    SELECT 1 FROM experience_evidence
    WHERE evidence_id = NEW.evidence_id OR (repo = NEW.repo AND ref = NEW.ref));
  SELECT RAISE(ABORT, 'a frame that is evidence is seen from the repository')
  WHERE NEW.frame_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM frame f WHERE f.frame_id = NEW.frame_id AND (f.space = NEW.repo OR f.scope = 'global'));
END;

CREATE TRIGGER experience_record_evidence_is_sound BEFORE INSERT ON experience_record_evidence
BEGIN
  SELECT RAISE(ABORT, 'evidence is attached once') WHERE EXISTS (
    SELECT 1 FROM experience_record_evidence
    WHERE record_id = NEW.record_id AND evidence_id = NEW.evidence_id);
  SELECT RAISE(ABORT, 'there is no such evidence') WHERE NOT EXISTS (
    SELECT 1 FROM experience_evidence WHERE evidence_id = NEW.evidence_id);
  SELECT RAISE(ABORT, 'evidence lies in the repository of its record') WHERE EXISTS (
    SELECT 1 FROM experience_record r JOIN experience_evidence e ON e.repo <> r.repo
    WHERE r.record_id = NEW.record_id AND e.evidence_id = NEW.evidence_id);
END;

CREATE TRIGGER experience_archive_is_sound BEFORE INSERT ON experience_archive
BEGIN
  SELECT RAISE(ABORT, 'a record is archived once') WHERE EXISTS (
    SELECT 1 FROM experience_archive WHERE record_id = NEW.record_id);
  SELECT RAISE(ABORT, 'there is no such record') WHERE NOT EXISTS (
    SELECT 1 FROM experience_record WHERE record_id = NEW.record_id);
END;

CREATE TRIGGER experience_revision_is_sound BEFORE INSERT ON experience_revision
BEGIN
  SELECT RAISE(ABORT, 'a record is revised once') WHERE EXISTS (
    SELECT 1 FROM experience_revision WHERE old_id = NEW.old_id OR new_id = NEW.new_id);
  SELECT RAISE(ABORT, 'a revision is a later record of the same kind and place') WHERE NOT EXISTS (
    SELECT 1 FROM experience_record o JOIN experience_record n
    ON n.kind = o.kind AND n.repo = o.repo AND n.scope = o.scope AND n.frame_id > o.frame_id
    WHERE o.record_id = NEW.old_id AND n.record_id = NEW.new_id);
END;

-- History is kept: nothing is edited, and only an erase removes.
CREATE TRIGGER experience_record_is_immutable BEFORE UPDATE ON experience_record
BEGIN SELECT RAISE(ABORT, 'records are immutable'); END;
CREATE TRIGGER experience_attempt_is_immutable BEFORE UPDATE ON experience_attempt
BEGIN SELECT RAISE(ABORT, 'links are immutable'); END;
CREATE TRIGGER experience_fact_update_is_immutable BEFORE UPDATE ON experience_fact_update
BEGIN SELECT RAISE(ABORT, 'updates of facts are immutable'); END;
CREATE TRIGGER experience_vote_is_immutable BEFORE UPDATE ON experience_vote
BEGIN SELECT RAISE(ABORT, 'votes are never edited'); END;
CREATE TRIGGER experience_evidence_is_immutable BEFORE UPDATE ON experience_evidence
BEGIN SELECT RAISE(ABORT, 'evidence is immutable'); END;
CREATE TRIGGER experience_record_evidence_is_immutable BEFORE UPDATE ON experience_record_evidence
BEGIN SELECT RAISE(ABORT, 'evidence is immutable'); END;
CREATE TRIGGER experience_archive_is_immutable BEFORE UPDATE ON experience_archive
BEGIN SELECT RAISE(ABORT, 'an archived record stays archived'); END;
CREATE TRIGGER experience_revision_is_immutable BEFORE UPDATE ON experience_revision
BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END;

CREATE TRIGGER experience_record_is_kept BEFORE DELETE ON experience_record
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'records are removed by erase alone'); END;
CREATE TRIGGER experience_attempt_is_kept BEFORE DELETE ON experience_attempt
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'links are removed by erase alone'); END;
CREATE TRIGGER experience_fact_update_is_kept BEFORE DELETE ON experience_fact_update
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'updates of facts are removed by erase alone'); END;
CREATE TRIGGER experience_vote_is_kept BEFORE DELETE ON experience_vote
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'votes are removed by erase alone'); END;
CREATE TRIGGER experience_evidence_is_kept BEFORE DELETE ON experience_evidence
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'evidence is removed by erase alone'); END;
CREATE TRIGGER experience_record_evidence_is_kept BEFORE DELETE ON experience_record_evidence
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'evidence is removed by erase alone'); END;
CREATE TRIGGER experience_archive_is_kept BEFORE DELETE ON experience_archive
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'an archived record stays archived'); END;
CREATE TRIGGER experience_revision_is_kept BEFORE DELETE ON experience_revision
WHEN NOT EXISTS (SELECT 1 FROM store_erasing)
BEGIN SELECT RAISE(ABORT, 'revisions are removed by erase alone'); END;
