-- Format 9: which log belongs to the file.

-- SQLite's log (-wal) does not say which file it continues. Each generation of the log has a random id, and says
-- on which state of the file it builds: the generation before, and how many write transactions there had been.
-- `log_state` is 0 while the file alone holds everything, 1 when the log may be ahead of the file and the file may
-- not say so yet, 2 when the file says so. `log_boot` is the boot of the machine that wrote last. An empty
-- `log_id` is a file of an earlier format that has not been written since.
ALTER TABLE store_clock ADD COLUMN log_id TEXT NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN log_before TEXT NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN log_writes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store_clock ADD COLUMN log_base INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store_clock ADD COLUMN log_state INTEGER NOT NULL DEFAULT 0;
ALTER TABLE store_clock ADD COLUMN log_boot TEXT NOT NULL DEFAULT '';
ALTER TABLE store_clock ADD COLUMN log_checksum INTEGER NOT NULL DEFAULT 0;
