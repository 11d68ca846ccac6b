-- What the model that answers for an organization scores over its chunks of a provider, where nobody has calibrated that model:
-- below which score a question is taken to have no answer among them. Measured in the background, under a lease.
create table evidence_calibrations (
  organization_id uuid not null references organizations (id),
  embedding_model_id smallint not null references embedding_models (id),
  provider text not null,
  -- How many there were when it was measured; 0: not yet.
  chunks integer not null default 0,
  -- The mean score of a chunk and a question about something else; null: not yet measured, like the threshold.
  level double precision,
  threshold double precision,
  lease_id uuid,
  lease_expires_at timestamptz,
  primary key (organization_id, embedding_model_id, provider)
);

-- People by their given name: a word that a text uses as a name may be one of theirs.
create index entity_names_by_given_name on entity_names (organization_id, split_part(alias, ' ', 1), source_id, entity_id)
  where alias like '% %';
