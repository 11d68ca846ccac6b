-- Charges by day, caller and kind of answer, without the questions. The statement that settles a credit also increments its
-- row, so that a period's credits are the sum of its rows.
create table daily_usage (
  organization_id uuid not null references organizations (id),
  -- The day of the answer, in UTC.
  day date not null,
  -- The period of the credits. It can begin within a day, and end while a request is in flight.
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

-- Finds expired days.
create index daily_usage_by_day on daily_usage (day);
