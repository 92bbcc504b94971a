-- Format 6: experience. A record is a frame with a name of its own; what hangs between records is dated.
-- created_at is the clock's reading, recorded_at the system time.
-- Names compare by bytes ("C"), so that both engines list alike.

CREATE TABLE experience_record (
  record_id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  frame_id          BIGINT NOT NULL UNIQUE REFERENCES frame(frame_id),
  repo              TEXT COLLATE "C" NOT NULL,
  scope             TEXT NOT NULL CHECK (scope IN ('repo', 'global')),
  kind              TEXT NOT NULL CHECK (kind IN (
    'problem', 'solution', 'failed_tactic', 'fact', 'preference', 'change')),
  write_confidence  DOUBLE PRECISION CHECK (write_confidence >= 0 AND write_confidence <= 1),
  without_evidence  BIGINT NOT NULL CHECK (without_evidence IN (0, 1)),
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL
);

-- A problem and what was tried on it.
CREATE TABLE experience_attempt (
  problem_id        TEXT COLLATE "C" NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  attempt_id        TEXT COLLATE "C" NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  role              TEXT NOT NULL CHECK (role IN ('solution', 'failed_tactic')),
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (problem_id, attempt_id)
);

-- Old fact and change make the new fact.
CREATE TABLE experience_fact_update (
  update_id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  old_fact_id       TEXT COLLATE "C" NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  change_id         TEXT COLLATE "C" NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  new_fact_id       TEXT COLLATE "C" NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  CHECK (old_fact_id <> new_fact_id),
  UNIQUE (old_fact_id, change_id, new_fact_id)
);

-- How useful a record was for a problem: an observation, never edited.
CREATE TABLE experience_vote (
  vote_id           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  memory_id         TEXT COLLATE "C" NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  problem_id        TEXT COLLATE "C" NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE,
  vote              DOUBLE PRECISION NOT NULL CHECK (vote >= -1 AND vote <= 1),
  rationale         TEXT,
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL
);

-- Where it can be seen, once per repository. The reference begins with its kind.
CREATE TABLE experience_evidence (
  evidence_id       TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  repo              TEXT COLLATE "C" NOT NULL,
  kind              TEXT NOT NULL CHECK (kind IN ('file', 'commit', 'url', 'test', 'issue', 'turn', 'frame')),
  ref               TEXT COLLATE "C" NOT NULL,
  frame_id          BIGINT REFERENCES frame(frame_id),
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  CHECK (substr(ref, 1, length(kind) + 1) = kind || ':'),
  CHECK ((kind = 'frame') = (frame_id IS NOT NULL)),
  CHECK (frame_id IS NULL OR ref = 'frame:' || frame_id),
  UNIQUE (repo, ref)
);

-- Written before its record, which is refused without: hence the deferred reference.
CREATE TABLE experience_record_evidence (
  record_id         TEXT COLLATE "C" NOT NULL REFERENCES experience_record(record_id) ON DELETE CASCADE
                    DEFERRABLE INITIALLY DEFERRED,
  evidence_id       TEXT COLLATE "C" NOT NULL REFERENCES experience_evidence(evidence_id) ON DELETE CASCADE,
  ordinal           BIGINT NOT NULL CHECK (ordinal >= 0),
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL,
  PRIMARY KEY (record_id, evidence_id)
);

-- Out of use, as a dated row: from 0 to 1, once, and never back.
CREATE TABLE experience_archive (
  record_id         TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES experience_record(record_id) ON DELETE CASCADE,
  reason            TEXT,
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL
);

-- An edit: another record that stands in for this one.
CREATE TABLE experience_revision (
  old_id            TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES experience_record(record_id) ON DELETE CASCADE,
  new_id            TEXT COLLATE "C" NOT NULL UNIQUE REFERENCES experience_record(record_id) ON DELETE CASCADE,
  created_at        BIGINT NOT NULL,
  recorded_at       BIGINT NOT NULL,
  checksum          BIGINT NOT NULL
);

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

-- What a row must be, whoever inserts it. The clock's row is locked, as by every writer: two transactions that
-- do not see each other's rows could break together what neither breaks alone.
CREATE FUNCTION experience_record_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM frame f WHERE f.frame_id = NEW.frame_id AND f.start_byte IS NULL AND f.kind = NEW.kind
      AND f.space = NEW.repo AND f.scope = CASE NEW.scope WHEN 'repo' THEN 'space' ELSE NEW.scope END
      AND f.recorded_at = NEW.recorded_at) THEN
    RAISE EXCEPTION 'a record has the kind, repository, scope and time of its frame';
  END IF;
  IF NEW.without_evidence = 0 AND NOT EXISTS (
    SELECT 1 FROM experience_record_evidence WHERE record_id = NEW.record_id) THEN
    RAISE EXCEPTION 'a record needs evidence, or says that there is none';
  END IF;
  IF EXISTS (
    SELECT 1 FROM experience_record_evidence l JOIN experience_evidence e ON e.evidence_id = l.evidence_id
    WHERE l.record_id = NEW.record_id AND e.repo <> NEW.repo) THEN
    RAISE EXCEPTION 'evidence lies in the repository of its record';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION experience_attempt_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM experience_record WHERE record_id = NEW.problem_id AND kind = 'problem') THEN
    RAISE EXCEPTION 'an attempt is made on a problem';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM experience_record WHERE record_id = NEW.attempt_id AND kind = NEW.role) THEN
    RAISE EXCEPTION 'an attempt is of the kind that its role says';
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM experience_record p JOIN experience_record a
    ON p.repo = a.repo OR p.scope = 'global' OR a.scope = 'global'
    WHERE p.record_id = NEW.problem_id AND a.record_id = NEW.attempt_id) THEN
    RAISE EXCEPTION 'the ends of a link are seen from one repository';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION experience_fact_update_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM store_clock WHERE one = 1 FOR UPDATE;
  IF 2 <> (
    SELECT count(*) FROM experience_record
    WHERE record_id IN (NEW.old_fact_id, NEW.new_fact_id) AND kind = 'fact') THEN
    RAISE EXCEPTION 'an update replaces a fact by a fact';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM experience_record WHERE record_id = NEW.change_id AND kind = 'change') THEN
    RAISE EXCEPTION 'an update rests on a change';
  END IF;
  IF EXISTS (
    SELECT 1 FROM experience_record o JOIN experience_record r ON r.record_id IN (NEW.change_id, NEW.new_fact_id)
    WHERE o.record_id = NEW.old_fact_id
      AND r.scope <> 'global' AND (o.scope = 'global' OR r.repo <> o.repo)) THEN
    RAISE EXCEPTION 'who sees a fact sees what replaced it';
  END IF;
  IF EXISTS (
    WITH RECURSIVE later(id) AS (
      SELECT NEW.new_fact_id
      UNION SELECT u.new_fact_id FROM experience_fact_update u JOIN later ON u.old_fact_id = later.id)
    SELECT 1 FROM later WHERE id = NEW.old_fact_id) THEN
    RAISE EXCEPTION 'a fact is not replaced by itself, through however many updates';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION experience_vote_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM experience_record WHERE record_id = NEW.problem_id AND kind = 'problem') THEN
    RAISE EXCEPTION 'a vote is given for a problem';
  END IF;
  IF NOT EXISTS (
    SELECT 1 FROM experience_record p JOIN experience_record m
    ON p.repo = m.repo OR p.scope = 'global' OR m.scope = 'global'
    WHERE p.record_id = NEW.problem_id AND m.record_id = NEW.memory_id) THEN
    RAISE EXCEPTION 'the ends of a vote are seen from one repository';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION experience_evidence_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.frame_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM frame f WHERE f.frame_id = NEW.frame_id AND (f.space = NEW.repo OR f.scope = 'global')) THEN
    RAISE EXCEPTION 'a frame that is evidence is seen from the repository';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION experience_record_evidence_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM store_clock WHERE one = 1 FOR UPDATE;
  IF EXISTS (
    SELECT 1 FROM experience_record r JOIN experience_evidence e ON e.repo <> r.repo
    WHERE r.record_id = NEW.record_id AND e.evidence_id = NEW.evidence_id) THEN
    RAISE EXCEPTION 'evidence lies in the repository of its record';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION experience_revision_check() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT 1 FROM experience_record o JOIN experience_record n
    ON n.kind = o.kind AND n.repo = o.repo AND n.scope = o.scope AND n.frame_id > o.frame_id
    WHERE o.record_id = NEW.old_id AND n.record_id = NEW.new_id) THEN
    RAISE EXCEPTION 'a revision is a later record of the same kind and place';
  END IF;
  RETURN NEW;
END $$;

-- History is kept: nothing is edited, and only an erase removes. What is guarded is said by the trigger.
CREATE FUNCTION experience_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (SELECT 1 FROM store_erasing) THEN
    RETURN OLD;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    RAISE EXCEPTION '% are immutable', TG_ARGV[0];
  END IF;
  RAISE EXCEPTION '% are removed by erase alone', TG_ARGV[0];
END $$;

CREATE TRIGGER experience_record_checked BEFORE INSERT ON experience_record
FOR EACH ROW EXECUTE FUNCTION experience_record_check();
CREATE TRIGGER experience_attempt_checked BEFORE INSERT ON experience_attempt
FOR EACH ROW EXECUTE FUNCTION experience_attempt_check();
CREATE TRIGGER experience_fact_update_checked BEFORE INSERT ON experience_fact_update
FOR EACH ROW EXECUTE FUNCTION experience_fact_update_check();
CREATE TRIGGER experience_vote_checked BEFORE INSERT ON experience_vote
FOR EACH ROW EXECUTE FUNCTION experience_vote_check();
CREATE TRIGGER experience_evidence_checked BEFORE INSERT ON experience_evidence
FOR EACH ROW EXECUTE FUNCTION experience_evidence_check();
CREATE TRIGGER experience_record_evidence_checked BEFORE INSERT ON experience_record_evidence
FOR EACH ROW EXECUTE FUNCTION experience_record_evidence_check();
CREATE TRIGGER experience_revision_checked BEFORE INSERT ON experience_revision
FOR EACH ROW EXECUTE FUNCTION experience_revision_check();

CREATE TRIGGER experience_record_guarded BEFORE UPDATE OR DELETE ON experience_record
FOR EACH ROW EXECUTE FUNCTION experience_guard('records');
CREATE TRIGGER experience_attempt_guarded BEFORE UPDATE OR DELETE ON experience_attempt
FOR EACH ROW EXECUTE FUNCTION experience_guard('links');
CREATE TRIGGER experience_fact_update_guarded BEFORE UPDATE OR DELETE ON experience_fact_update
FOR EACH ROW EXECUTE FUNCTION experience_guard('updates of facts');
CREATE TRIGGER experience_vote_guarded BEFORE UPDATE OR DELETE ON experience_vote
FOR EACH ROW EXECUTE FUNCTION experience_guard('votes');
CREATE TRIGGER experience_evidence_guarded BEFORE UPDATE OR DELETE ON experience_evidence
FOR EACH ROW EXECUTE FUNCTION experience_guard('evidence rows');
CREATE TRIGGER experience_record_evidence_guarded BEFORE UPDATE OR DELETE ON experience_record_evidence
FOR EACH ROW EXECUTE FUNCTION experience_guard('links to evidence');
CREATE TRIGGER experience_archive_guarded BEFORE UPDATE OR DELETE ON experience_archive
FOR EACH ROW EXECUTE FUNCTION experience_guard('archivals');
CREATE TRIGGER experience_revision_guarded BEFORE UPDATE OR DELETE ON experience_revision
FOR EACH ROW EXECUTE FUNCTION experience_guard('revisions');

CREATE TRIGGER experience_record_kept BEFORE TRUNCATE ON experience_record
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('records');
CREATE TRIGGER experience_attempt_kept BEFORE TRUNCATE ON experience_attempt
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('links');
CREATE TRIGGER experience_fact_update_kept BEFORE TRUNCATE ON experience_fact_update
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('updates of facts');
CREATE TRIGGER experience_vote_kept BEFORE TRUNCATE ON experience_vote
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('votes');
CREATE TRIGGER experience_evidence_kept BEFORE TRUNCATE ON experience_evidence
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('evidence rows');
CREATE TRIGGER experience_record_evidence_kept BEFORE TRUNCATE ON experience_record_evidence
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('links to evidence');
CREATE TRIGGER experience_archive_kept BEFORE TRUNCATE ON experience_archive
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('archivals');
CREATE TRIGGER experience_revision_kept BEFORE TRUNCATE ON experience_revision
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('revisions');
