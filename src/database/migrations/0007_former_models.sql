-- What a model's vectors are asked with once the settings name another one: it goes on answering until they have been moved.
-- Kept by the process that is set to the model, dropped when no organization's vectors are of it any more.
alter table embedding_models add column settings jsonb;

-- The API key of its server, encrypted; null where it has none, or there is no key to encrypt it with.
alter table embedding_models add column ciphertext bytea;

-- A document without a body is found by its title, and its hit shows that instead of nothing.
update chunks c set content = i.title
from source_items i
where i.organization_id = c.organization_id and i.id = c.source_item_id and c.content = '' and i.title <> '';
