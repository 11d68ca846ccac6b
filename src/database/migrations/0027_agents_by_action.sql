-- An agent is an active key with search, context or ask. Before, the actor type decided which keys were over the plan.
update api_keys set beyond_plan = false
where beyond_plan and not allowed_actions && array['search', 'context', 'ask'];

update api_keys k set beyond_plan = r.beyond
from (
  select a.organization_id, a.id,
    coalesce(
      row_number() over (partition by a.organization_id order by a.created_at, a.id) > case
        when s.status = 'internal' or s.tier in ('scale', 'enterprise') then null
        when s.tier = 'studio' then 10
        else 2
      end,
      false
    ) as beyond
  from api_keys a left join subscriptions s on s.organization_id = a.organization_id
  where a.revoked_at is null and a.allowed_actions && array['search', 'context', 'ask']
) r
where k.organization_id = r.organization_id and k.id = r.id and k.beyond_plan <> r.beyond;
