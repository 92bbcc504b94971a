-- Format 4: short forms of long frames, for contexts; and what is known of the files that were read.

-- Derived, `reindex` makes it anew: byte ranges of the frame's own text, as JSON: the sentences that say most of it, and fewer of them.
CREATE TABLE surrogate (
  frame_id      BIGINT PRIMARY KEY REFERENCES frame(frame_id),
  version       BIGINT NOT NULL,
  gist          TEXT NOT NULL,
  micro         TEXT NOT NULL
);

-- What a file looked like when it was last read, so that an unchanged one is passed over.
CREATE TABLE ingest_source (
  space         TEXT NOT NULL,
  uri           TEXT NOT NULL,
  root          TEXT NOT NULL,
  size          BIGINT NOT NULL,
  modified      BIGINT NOT NULL,
  options       TEXT NOT NULL,
  sha256        TEXT NOT NULL,
  frame_id      BIGINT REFERENCES frame(frame_id),
  PRIMARY KEY (space, uri)
);

CREATE INDEX ingest_source_by_root ON ingest_source(space, root);
CREATE INDEX ingest_source_by_frame ON ingest_source(frame_id) WHERE frame_id IS NOT NULL;
