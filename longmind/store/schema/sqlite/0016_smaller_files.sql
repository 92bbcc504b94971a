-- Format 16: smaller files.

-- A record of text_posting, text_field and text_word takes two bytes: 12 bits for the frame's id within its block of
-- 4,096 ids, and 4 for the value. A row with a value above 15 has three bytes a record and an odd number of bytes in
-- all, if need be by an empty one at the end. The first row of 16 blocks also has the first 64 records of all 16, in
-- three bytes each if one is of another block. The rows of earlier formats are written anew with this migration.

-- Whoever looks for a content compares whole hashes: five bytes leave next to no others to look at.
DROP INDEX frame_by_content;
CREATE INDEX frame_by_content ON frame(substr(content_hash, 1, 5));
