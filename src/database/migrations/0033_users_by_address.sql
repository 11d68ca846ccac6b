-- Finds out whether a person on whose behalf a key reads is a member, without reading every member of the workspace.
create index users_by_address on users (lower(email)) where email_verified;
