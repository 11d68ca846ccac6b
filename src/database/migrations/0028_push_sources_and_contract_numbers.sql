-- The contract's limits; null: the tier's.
alter table subscriptions add column agents_included integer;
alter table subscriptions add column connectors_included integer;
alter table subscriptions add constraint subscriptions_agents_included_check check (agents_included >= 0);
alter table subscriptions add constraint subscriptions_connectors_included_check check (connectors_included >= 0);

-- Push-only sources are not connectors, so they do not count toward the plan.
update sources set beyond_plan = false where beyond_plan and push_only;

update sources s set beyond_plan = r.beyond
from (
  select a.organization_id, a.id,
    coalesce(
      row_number() over (partition by a.organization_id order by a.created_at, a.id) > case
        when p.status = 'internal' or p.tier in ('studio', 'scale', 'enterprise') then null
        else 2
      end,
      false
    ) as beyond
  from sources a left join subscriptions p on p.organization_id = a.organization_id
  where a.removed_at is null and not a.push_only
) r
where s.organization_id = r.organization_id and s.id = r.id and s.beyond_plan <> r.beyond;

-- Every workspace has a push-only source for each provider. A distributed database cannot join a reference table across
-- tenants, so existing sources are read first.
with there as materialized (
  select organization_id, provider from sources where push_only and removed_at is null
)
insert into sources (organization_id, id, provider, push_only, status, display_name, external_account_id, created_at, updated_at)
select o.id, gen_random_uuid(), p.provider, true, 'active', p.name || ' (push)', 'push:' || p.provider, now(), now()
from organizations o
cross join (
  values ('slack', 'Slack'), ('google_drive', 'Google Drive'), ('notion', 'Notion'), ('gmail', 'Gmail')
) as p(provider, name)
where o.removed_at is null
  and not exists (select from there t where t.organization_id = o.id and t.provider = p.provider);
