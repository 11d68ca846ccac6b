-- Questions that a person asked in the console, with their answers. Only that person can read them.
create table threads (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  -- No reference, because the row is deleted with the membership and with the workspace.
  user_id uuid not null,
  title text not null,
  -- { "turns": [...] }, oldest first.
  content jsonb not null,
  turn_count integer not null check (turn_count > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);

create index threads_of_a_person on threads (organization_id, user_id, updated_at desc, id desc);
