-- Questions with known answers, and the runs that measured them. See src/evaluations.
create table evaluation_questions (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  position integer not null,
  question text not null,
  page text,
  fact text,
  -- The feedback on the answer that the question was added from; null: an admin wrote it.
  feedback text check (feedback in ('useful', 'wrong', 'missing_source')),
  last_rank integer check (last_rank > 0),
  last_has_fact boolean,
  last_measured_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);

create table evaluation_runs (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- No reference, because the run outlives the membership.
  user_id uuid not null,
  started_at timestamptz not null,
  primary key (organization_id, id)
);

-- One row per question of a run, as it was when the run started.
create table evaluation_results (
  organization_id uuid not null,
  run_id uuid not null,
  question_id uuid not null,
  position integer not null,
  question text not null,
  page text,
  fact text,
  previous_rank integer,
  previous_has_fact boolean,
  previous_measured_at timestamptz,
  rank integer check (rank > 0),
  has_fact boolean,
  change text check (change in ('better', 'worse', 'same', 'new')),
  answer text,
  -- { "citations": [...] }
  content jsonb,
  -- Null: not measured yet.
  measured_at timestamptz,
  primary key (organization_id, run_id, question_id),
  constraint evaluation_results_run foreign key (organization_id, run_id)
    references evaluation_runs (organization_id, id) on delete cascade
);
