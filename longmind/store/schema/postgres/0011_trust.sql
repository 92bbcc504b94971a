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
