-- Format 10: one text index. What spaces and conversations derived in tables of their own is derived as postings,
-- laid out like those of `text_posting`. Both tables are filled when spaces or memories are next used.

-- For each term of an object's path, tags, summaries and metadata the frames of these objects, each with a byte
-- that says which of the fields say it. Under the empty term every object's frame: which fields have those terms
-- of the frame that are not listed here.
CREATE TABLE text_field (
  term          TEXT COLLATE "C" NOT NULL,
  block         BIGINT NOT NULL,
  data          BYTEA NOT NULL,
  PRIMARY KEY (term, block)
);

-- For each plain word of memories, behind the name of their space and a blank, the frames of these memories, each
-- with a byte that says how many distinct words the memory has.
CREATE TABLE text_word (
  term          TEXT COLLATE "C" NOT NULL,
  block         BIGINT NOT NULL,
  data          BYTEA NOT NULL,
  PRIMARY KEY (term, block)
);

DROP TABLE space_words;
DROP TABLE conversation_word;
