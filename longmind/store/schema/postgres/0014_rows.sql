-- The digest of a user is looked up by name with every write of that user's: without an index, among all users.
CREATE INDEX audit_user_by_name ON audit_user(name);
