-- The revision of an organization's items; 0: it never had any. Requests read it on admission, in a separate statement, so that
-- it works wherever the table is stored.
create function item_revision(in_organization uuid) returns float8
language plpgsql as $$
begin
  return coalesce((select r.revision from item_revisions r where r.organization_id = in_organization), 0)::float8;
end $$;
