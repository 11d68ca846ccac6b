-- A group ID that is an address ignores case. Policies stored earlier have the address in its original case and match no
-- group. Group IDs of a source, which begin with the source's ID, keep their case.
insert into access_policy_principals (organization_id, principal, policy_id, denies)
select organization_id, lower(principal), policy_id, denies from access_policy_principals
where principal like 'group:%@%' and principal <> lower(principal)
  and principal !~* '^group:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/'
on conflict do nothing;

delete from access_policy_principals
where principal like 'group:%@%' and principal <> lower(principal)
  and principal !~* '^group:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/';
