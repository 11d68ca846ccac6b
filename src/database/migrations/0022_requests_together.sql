-- How many requests the last statement counted. One statement counts simultaneous requests.
alter table rate_windows add column last_admitted integer not null default 1;

-- Counts as many of `requests` as fit in a subject's rolling minute for an action; returns no row if none fits.
-- `admitted_at` is ascending, and an entry counts for one minute from its time. With slots, the time is the end of the slot, so
-- that no request expires early. The clock is read after ON CONFLICT has locked the row, so a later call reads a later time
-- and sees every request admitted before. `turned` replaces the clock in tests.
create function admit_requests(
  in_organization uuid, in_subject uuid, in_action text,
  per_minute integer, slot_ms float8, requests integer, turned timestamptz default null
) returns table (admitted integer, used integer, reset_ms float8)
language plpgsql as $$
#variable_conflict use_column
begin
  return query
    insert into rate_windows as w
      (organization_id, subject_id, action, admitted_at, admitted_count, last_admitted)
    values (
      in_organization, in_subject, in_action,
      array[coalesce(turned, clock_timestamp()) + slot_ms * interval '1 millisecond'],
      array[least(per_minute, requests)], least(per_minute, requests)
    )
    on conflict (organization_id, subject_id, action) do update
    set (admitted_at, admitted_count, last_admitted) = (
      select
        case when joins then w.admitted_at[first:]
             else w.admitted_at[first:] || (at + slot_ms * interval '1 millisecond') end,
        case when joins then w.admitted_count[first:last - 1] || (w.admitted_count[last] + more)
             else w.admitted_count[first:] || more end,
        more
      from (select coalesce(turned, clock_timestamp()) as at) clock
      -- width_bucket counts the entries that have left the window, by binary search.
      cross join lateral (
        select width_bucket(at - interval '1 minute', w.admitted_at) + 1 as first, cardinality(w.admitted_at) as last
      ) place
      cross join lateral (
        select first <= last and w.admitted_at[last] >= at as joins,
          least(per_minute - (select coalesce(sum(n), 0) from unnest(w.admitted_count[first:]) n), requests)::int as more
      ) choice
    )
    where per_minute > (
      select coalesce(sum(n), 0)
      from unnest(w.admitted_count[
        width_bucket(coalesce(turned, clock_timestamp()) - interval '1 minute', w.admitted_at) + 1:
      ]) n
    )
    returning w.last_admitted, (select sum(n)::int from unnest(w.admitted_count) n),
      -- Rounded up: at the time that a caller is given, there must be room.
      ceil(extract(epoch from w.admitted_at[1] + interval '1 minute') * 1000)::float8;
end $$;

-- Everything that admits a key's requests, in one call: finds the key by the hash of its secret and records its use in this
-- `minute`, checks whether its organization is without a cap at `moment`, and, if the key may perform the action, counts the
-- requests in its window. Returns no row if no active key matches. Each statement uses one table, wherever that is stored.
create function admit_key(
  in_secret bytea, moment timestamptz, minute timestamptz, in_action text, reach text[],
  per_minute integer, slot_ms float8, requests integer
) returns table (
  organization_id uuid, id uuid, actor_type text, allowed_actions text[], allowed_providers text[], beyond_plan boolean,
  may boolean, uncapped boolean, admitted integer, used integer, reset_ms float8
)
language plpgsql as $$
#variable_conflict use_column
declare
  used_at timestamptz;
begin
  select k.organization_id, k.id, k.actor_type, k.allowed_actions, k.allowed_providers, k.beyond_plan, k.last_used_at,
    in_action = any (k.allowed_actions) and (k.allowed_providers is null or reach <@ k.allowed_providers)
  into organization_id, id, actor_type, allowed_actions, allowed_providers, beyond_plan, used_at, may
  from api_keys k where k.secret_sha256 = in_secret and k.revoked_at is null;
  if not found then
    return;
  end if;
  if used_at is null or used_at < minute then
    update api_keys k set last_used_at = minute
    where k.organization_id = admit_key.organization_id and k.id = admit_key.id;
  end if;
  if may then
    select s.retrieves and s.credit_limit is null and s.period_ends_at > moment
    into uncapped from subscriptions s where s.organization_id = admit_key.organization_id;
    select a.admitted, a.used, a.reset_ms into admitted, used, reset_ms
    from admit_requests(
      admit_key.organization_id, admit_key.id, in_action, per_minute, slot_ms, requests) a;
  end if;
  return next;
end $$;
