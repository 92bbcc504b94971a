-- Format 10. One ledger of what language models cost.

-- Before each call the sums of a space are taken, so the index has all the columns that are added up.
DROP INDEX llm_call_by_provider;
CREATE INDEX llm_call_by_space ON llm_call(space, provider, input_tokens, output_tokens, cost_micros);

-- What `space_spending` held becomes rows of `llm_call`. Each needs its checksum, which SQL cannot compute:
-- `store/carry_over.py` writes them after these statements, and then drops the old table.
DELETE FROM store_account WHERE table_name = 'space_spending';

-- One text index. What spaces and conversations derived in tables of their own is derived as postings,
-- laid out like those of `text_posting`. Both tables are filled when spaces or memories are next used.

-- For each term of an object's path, tags, summaries and metadata the frames of these objects, each with a byte
-- that says which of the fields say it. Under the empty term every object's frame: which fields have those terms
-- of the frame that are not listed here.
CREATE TABLE text_field (
  term          TEXT NOT NULL,
  block         INTEGER NOT NULL,
  data          BLOB NOT NULL,
  PRIMARY KEY (term, block)
) WITHOUT ROWID;

-- For each plain word of memories, behind the name of their space and a blank, the frames of these memories, each
-- with a byte that says how many distinct words the memory has.
CREATE TABLE text_word (
  term          TEXT NOT NULL,
  block         INTEGER NOT NULL,
  data          BLOB NOT NULL,
  PRIMARY KEY (term, block)
) WITHOUT ROWID;

-- What a recall reads of every object of a space, without the summaries and metadata that lie between in the rows.
-- `until` is in it because SQLite reads the row for a column that only the condition names.
CREATE INDEX space_object_columns
  ON space_object(space, object_id, path, kind, tags, frame_id, relevance, pinned, created_at, updated_at, until)
  WHERE until IS NULL;

DROP TABLE space_words;
DROP TABLE conversation_word;
