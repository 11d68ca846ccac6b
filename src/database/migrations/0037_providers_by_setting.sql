-- The catalog and the PROVIDERS setting determine which providers exist.
alter table sources drop constraint sources_provider_check;
alter table connector_access drop constraint connector_access_provider_check;
alter table source_items drop constraint source_items_provider_check;
alter table grant_revocations drop constraint grant_revocations_provider_check;
alter table oauth_states drop constraint oauth_states_provider_check;

-- Providers for which every workspace has a push-only source. Each start compares them with the setting.
create table named_providers (provider text primary key);
insert into named_providers (provider) values ('slack'), ('google_drive'), ('notion'), ('gmail');
