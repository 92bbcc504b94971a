-- Format 11: which frames the rules of visibility of their space hide from reads. `reindex` makes it anew.
CREATE TABLE frame_hidden (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id)
);
