-- The revision of an organization's items, 0 where there were none yet: read with the admission of a request, in a statement of its own,
-- so that it is the same wherever the table is.
create function item_revision(in_organization uuid) returns float8
language plpgsql as $$
begin
  return coalesce((select r.revision from item_revisions r where r.organization_id = in_organization), 0)::float8;
end $$;
