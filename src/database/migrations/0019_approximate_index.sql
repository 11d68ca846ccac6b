-- Organizations for which the operator requested an approximate index, over the vectors of their current model. The
-- indexes are in the catalog; organization and model make up their names.
create table approximate_indexes (
  organization_id uuid primary key references organizations (id) on delete cascade,
  -- The model whose vectors the index contains, or will contain.
  embedding_model_id smallint not null references embedding_models (id),
  status text not null check (status in ('building', 'ready', 'failed')),
  requested_at timestamptz not null,
  finished_at timestamptz,
  -- Why the last attempt failed; null: it did not.
  error_message text,
  -- The process with the lease builds the index. Another process can acquire an expired lease. If the lease has no ID, the
  -- next attempt waits until it expires.
  lease_id uuid,
  lease_expires_at timestamptz
);
