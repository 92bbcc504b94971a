-- Format 10. One ledger of what language models cost.

-- Before each call the sums of a space are taken, so the index has all the columns that are added up.
DROP INDEX llm_call_by_provider;
CREATE INDEX llm_call_by_space ON llm_call(space, provider, input_tokens, output_tokens, cost_micros);

-- What `space_spending` held becomes rows of `llm_call`. Each needs its checksum, which SQL cannot compute:
-- `store/carry_over.py` writes them after these statements, and then drops the old table.

-- One text index. What spaces and conversations derived in tables of their own is derived as postings,
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
