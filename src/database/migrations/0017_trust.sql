-- Calibration of an uncalibrated model for an organization's chunks of a provider: below the threshold, a question is assumed
-- to have no answer among them. Measured in the background, under a lease.
create table evidence_calibrations (
  organization_id uuid not null references organizations (id),
  embedding_model_id smallint not null references embedding_models (id),
  provider text not null,
  -- Number of chunks when it was measured; 0: not measured yet.
  chunks integer not null default 0,
  -- The mean score of a chunk and an unrelated question; null: not measured yet, like the threshold.
  level double precision,
  threshold double precision,
  lease_id uuid,
  lease_expires_at timestamptz,
  primary key (organization_id, embedding_model_id, provider)
);

-- People by given name, because a word that a text uses as a name may be a given name.
create index entity_names_by_given_name on entity_names (organization_id, split_part(alias, ' ', 1), source_id, entity_id)
  where alias like '% %';
