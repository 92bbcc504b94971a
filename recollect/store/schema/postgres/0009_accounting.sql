-- Format 9 adds accounts of the rows of each table to files. On the server its own page checksums find damage;
-- counting there would take a trigger for every row, or make every statement wait for one row.
SELECT 1;
