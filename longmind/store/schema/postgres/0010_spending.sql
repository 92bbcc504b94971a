-- Format 10: one ledger of what language models cost.

-- Before each call the sums of a space are taken, so the index has all the columns that are added up.
DROP INDEX llm_call_by_provider;
CREATE INDEX llm_call_by_space ON llm_call(space, provider, input_tokens, output_tokens, cost_micros);

-- What `space_spending` held becomes rows of `llm_call`. Each needs its checksum, which SQL cannot compute:
-- `store/carry_over.py` writes them after these statements, and then drops the old table.
