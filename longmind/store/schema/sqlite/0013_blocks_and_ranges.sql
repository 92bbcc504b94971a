-- Format 13: what is written in parts, and what is kept in blocks and ranges.

-- The frames of a partition by id, and those of scope global: a search reads only its own.
CREATE INDEX frame_by_partition ON frame(space);
CREATE INDEX frame_of_all ON frame(scope) WHERE scope = 'global';
