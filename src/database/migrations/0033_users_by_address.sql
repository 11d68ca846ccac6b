-- Whether a person on whose behalf a key asks is a member: without it, a statement reads every member of the workspace.
create index users_by_address on users (lower(email)) where email_verified;
