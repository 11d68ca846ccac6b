-- The organizations that the operator wants an approximate index for, over the vectors of the model that answers for them. The
-- indexes themselves are in the catalogue, each by a name made of organization and model.
create table approximate_indexes (
  organization_id uuid primary key references organizations (id) on delete cascade,
  -- The model that the index is of, or is built for.
  embedding_model_id smallint not null references embedding_models (id),
  status text not null check (status in ('building', 'ready', 'failed')),
  requested_at timestamptz not null,
  finished_at timestamptz,
  -- Why the last attempt failed; null otherwise.
  error_message text,
  -- Whoever holds the lease builds it; a lease that ran out may be taken over. Without its id, the next attempt waits for it.
  lease_id uuid,
  lease_expires_at timestamptz
);
