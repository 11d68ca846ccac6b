-- What was charged, by day, by who asked and for what; never what was asked. A row is counted up in the statement that settles
-- the credit, so that the credits of a period are the sum of its rows.
create table daily_usage (
  organization_id uuid not null references organizations (id),
  -- In UTC, of the moment of the answer.
  day date not null,
  -- Whose credits they are: a period may begin within a day, and end while a request is in flight.
  period_started_at timestamptz not null,
  -- The API key, or the console user.
  subject_id uuid not null,
  is_user boolean not null,
  surface text not null check (surface in ('search', 'context', 'ask')),
  is_mcp boolean not null,
  requests integer not null check (requests >= 0),
  credits integer not null check (credits >= 0),
  primary key (organization_id, day, period_started_at, subject_id, surface, is_mcp)
);

-- Days that are too long ago are forgotten.
create index daily_usage_by_day on daily_usage (day);
