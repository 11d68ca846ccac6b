-- The settings of a former model. Queries use them until all vectors have moved. The process that is configured for the
-- model stores them; they are deleted once no organization has vectors of the model.
alter table embedding_models add column settings jsonb;

-- The encrypted API key of the model's server; null if there is none, or no encryption key.
alter table embedding_models add column ciphertext bytea;

-- A document without a body is found by its title, and its hit shows the title.
update chunks c set content = i.title
from source_items i
where i.organization_id = c.organization_id and i.id = c.source_item_id and c.content = '' and i.title <> '';
