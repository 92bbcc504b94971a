-- Format 12: what is recalled, what expires, and states with a name.

-- When frames and assertions expire. From then on reads do not show them, and maintenance erases them.
CREATE TABLE frame_expiry (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id) ON DELETE CASCADE,
  expires_at    BIGINT NOT NULL,
  checksum      BIGINT NOT NULL
);
CREATE INDEX frame_expiry_by_time ON frame_expiry(expires_at);

CREATE TABLE fact_expiry (
  assertion_id  BIGINT PRIMARY KEY REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  expires_at    BIGINT NOT NULL,
  checksum      BIGINT NOT NULL
);
CREATE INDEX fact_expiry_by_time ON fact_expiry(expires_at);

-- From when, and until when, an assertion does not count: it has expired, or was made after the state to which
-- the store went back.
CREATE TABLE fact_lapse (
  assertion_id  BIGINT NOT NULL REFERENCES fact_assertion(assertion_id) ON DELETE CASCADE,
  since         BIGINT NOT NULL,
  until         BIGINT,
  reason        TEXT COLLATE "C" NOT NULL,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (assertion_id, since),
  CHECK (until IS NULL OR until > since)
);

-- A name that an entity lost may be given to it again: each time is a row of its own.
DROP INDEX fact_alias_once;
CREATE UNIQUE INDEX fact_alias_once ON fact_alias(entity_id, alias_norm, (coalesce(frame_id, 0)))
  WHERE until IS NULL;

-- Names for system times, and to which of them the store went back when.
CREATE TABLE store_snapshot (
  name          TEXT COLLATE "C" PRIMARY KEY,
  system        BIGINT NOT NULL,
  note          TEXT COLLATE "C" NOT NULL,
  created_at    BIGINT NOT NULL,
  checksum      BIGINT NOT NULL
);

CREATE TABLE store_rollback (
  restored_at   BIGINT PRIMARY KEY,
  system        BIGINT NOT NULL,
  checksum      BIGINT NOT NULL,
  CHECK (system < restored_at)
);

-- For how long a frame was retired that a restored snapshot brought back.
CREATE TABLE frame_absence (
  frame_id      BIGINT NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  since         BIGINT NOT NULL,
  until         BIGINT NOT NULL,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (frame_id, since),
  CHECK (until > since)
);
CREATE INDEX frame_absence_by_end ON frame_absence(until);

CREATE TRIGGER frame_absence_is_immutable BEFORE UPDATE ON frame_absence
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('absences of frames');
CREATE TRIGGER frame_absence_is_kept BEFORE DELETE ON frame_absence
FOR EACH ROW EXECUTE FUNCTION conversation_history_guard('absences of frames');

-- A retired frame comes back only if it is written down for how long it was away.
CREATE OR REPLACE FUNCTION frame_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    IF NOT EXISTS (SELECT 1 FROM store_erasing) THEN
      RAISE EXCEPTION 'frames are removed by erase alone';
    END IF;
    RETURN OLD;
  END IF;
  IF (OLD.frame_id, OLD.kind, OLD.space, OLD.scope, OLD.session, OLD.role, OLD.speaker, OLD.uri, OLD.title,
      OLD.source, OLD.parent_id, OLD.start_byte, OLD.end_byte, OLD.ordinal, OLD.occurred_at, OLD.recorded_at,
      OLD.dated, OLD.repeatable, OLD.content_hash)
     IS DISTINCT FROM
     (NEW.frame_id, NEW.kind, NEW.space, NEW.scope, NEW.session, NEW.role, NEW.speaker, NEW.uri, NEW.title,
      NEW.source, NEW.parent_id, NEW.start_byte, NEW.end_byte, NEW.ordinal, NEW.occurred_at, NEW.recorded_at,
      NEW.dated, NEW.repeatable, NEW.content_hash) THEN
    RAISE EXCEPTION 'frames are immutable';
  END IF;
  IF OLD.retired_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM store_erasing)
     AND NOT (NEW.retired_at IS NULL AND EXISTS (
       SELECT 1 FROM frame_absence a WHERE a.frame_id = OLD.frame_id AND a.since = OLD.retired_at)) THEN
    RAISE EXCEPTION 'a retired frame stays retired';
  END IF;
  RETURN NEW;
END $$;

-- Small copies of pictures, and the vectors of pictures by the model that made them. Neither can be made anew from the
-- store: the files lie elsewhere, and may be gone.
CREATE TABLE media_thumbnail (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id) ON DELETE CASCADE,
  media_type    TEXT COLLATE "C" NOT NULL,
  width         BIGINT NOT NULL,
  height        BIGINT NOT NULL,
  picture       BYTEA NOT NULL,
  checksum      BIGINT NOT NULL
);

CREATE TABLE media_vector (
  frame_id      BIGINT NOT NULL REFERENCES frame(frame_id) ON DELETE CASCADE,
  embedder      TEXT COLLATE "C" NOT NULL,
  vector        BYTEA NOT NULL,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (frame_id, embedder)
);
CREATE INDEX media_vector_by_embedder ON media_vector(embedder);

-- What is done of a source that takes long to read: parts of a recording, by the step and the millisecond. Gone as soon
-- as the source is read.
CREATE TABLE ingest_progress (
  space         TEXT COLLATE "C" NOT NULL,
  uri           TEXT COLLATE "C" NOT NULL,
  step          TEXT COLLATE "C" NOT NULL,
  number        BIGINT NOT NULL,
  result        TEXT COLLATE "C" NOT NULL,
  checksum      BIGINT NOT NULL,
  PRIMARY KEY (space, uri, step, number)
);

-- Links between objects, of one space or of two. An end names a part of a space and the id of an object there.
CREATE TABLE space_link (
  link_id       BIGINT PRIMARY KEY,
  space         TEXT COLLATE "C" NOT NULL,
  object_id     TEXT COLLATE "C" NOT NULL,
  to_space      TEXT COLLATE "C" NOT NULL,
  to_object_id  TEXT COLLATE "C" NOT NULL,
  relation      TEXT COLLATE "C" NOT NULL,
  since         BIGINT NOT NULL,
  until         BIGINT,
  created_at    BIGINT NOT NULL,
  checksum      BIGINT NOT NULL,
  CHECK (until IS NULL OR until > since)
);
CREATE INDEX space_link_by_object ON space_link(space, object_id);
CREATE INDEX space_link_by_target ON space_link(to_space, to_object_id);

-- Who gave a vote: of one caller's votes on the same pair, only the newest counts. Votes of earlier formats have
-- no row here, and count each.
CREATE TABLE experience_voter (
  vote_id       TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES experience_vote(vote_id) ON DELETE CASCADE,
  voter         TEXT COLLATE "C" NOT NULL,
  checksum      BIGINT NOT NULL
);

DROP VIEW global_utility;
CREATE VIEW global_utility AS
SELECT v.memory_id, avg(v.vote) AS utility_mean, count(*) AS observations
FROM experience_vote v LEFT JOIN experience_voter w ON w.vote_id = v.vote_id
WHERE NOT EXISTS (
  SELECT 1 FROM experience_vote n JOIN experience_voter m ON m.vote_id = n.vote_id
  WHERE n.memory_id = v.memory_id AND n.problem_id = v.problem_id AND m.voter = w.voter
    AND n.recorded_at > v.recorded_at)
GROUP BY v.memory_id;

CREATE TRIGGER experience_voter_guarded BEFORE UPDATE OR DELETE ON experience_voter
FOR EACH ROW EXECUTE FUNCTION experience_guard('votes');
CREATE TRIGGER experience_voter_kept BEFORE TRUNCATE ON experience_voter
FOR EACH STATEMENT EXECUTE FUNCTION experience_guard('votes');
