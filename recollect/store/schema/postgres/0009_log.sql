-- Format 9: which log belongs to the file. A server keeps its own log, so nothing changes here.
SELECT 1;
