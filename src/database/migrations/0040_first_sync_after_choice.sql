-- Whether the first sync of the account waits until its channels are chosen.
alter table oauth_states add column awaits_choice boolean not null default false;
