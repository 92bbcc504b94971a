-- Format 9: an erasure that was cut off is completed later.

-- Erasures whose bytes are not yet known to be gone, or whose certificate nobody has received: the certificate
-- as JSON, or nothing for one that has none. A row goes when its certificate is handed over.
CREATE TABLE erasure_pending (
  erasure_id       BIGINT PRIMARY KEY,
  certificate      TEXT NOT NULL,
  checksum         BIGINT NOT NULL
);
