-- A group's ID that is an address ignores case, but policies stored earlier keep the case in which they named it, and so
-- match no group. Groups of a source, whose ID begins with the source's, keep their case.
insert into access_policy_principals (organization_id, principal, policy_id, denies)
select organization_id, lower(principal), policy_id, denies from access_policy_principals
where principal like 'group:%@%' and principal <> lower(principal)
  and principal !~* '^group:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/'
on conflict do nothing;

delete from access_policy_principals
where principal like 'group:%@%' and principal <> lower(principal)
  and principal !~* '^group:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/';
