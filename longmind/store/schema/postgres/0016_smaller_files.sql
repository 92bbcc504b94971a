-- Format 16: smaller files.

-- A record of text_posting, text_field and text_word takes two bytes: 12 bits for the frame's id within the run of 4,096,
-- and 4 for the value. A row with a value above 15 has three bytes a record and an odd number of bytes in all, if need
-- be by an empty one at the end. The rows of earlier formats, all of three bytes, are written anew with this migration.

-- Whoever looks for a content compares whole hashes: five bytes leave next to no others to look at.
DROP INDEX frame_by_content;
CREATE INDEX frame_by_content ON frame((substr(content_hash, 1, 5)));
