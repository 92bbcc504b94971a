-- What the ledger holds again brings back the memories that said it: found by value among those put away,
-- which are more with every change, as those in use are by conversation_current_by_value.
CREATE INDEX conversation_current_put_away ON conversation_current(space, subject_key, slot, value_key)
  WHERE status <> 'active' AND slot IS NOT NULL;

-- What was to end and has ended by itself: its memories are put away with the next change.
CREATE INDEX fact_span_lapsing ON fact_span(valid_to) WHERE system_to IS NULL AND valid_to > system_from;

-- What somebody said is not so, or no longer: a few assertions among the thousands that affirm something.
CREATE INDEX fact_assertion_against ON fact_assertion(subject_entity_id) WHERE polarity = 0 OR action = 'end';
