/**
 * Removes organizations. One short transaction marks an organization and ends everybody's access to it; whoever works then deletes
 * its rows, some at a time and with a lease, and its own row last. What is interrupted goes on where it was: what is left to do are
 * the rows that are left.
 *
 * The organization's row stays for as long as a request that came before the removal may take, so that what such a request stores
 * meanwhile has something to refer to, and is deleted too.
 */
import type { Billing } from '../billing/index.ts'
import { createTask } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ConsolePrincipal } from '../kernel/principal.ts'
import { currentRole } from '../organizations/index.ts'
import { changeOutOfTurn } from '../vector-memory/index.ts'
import { createDeletion, type RemovalTimes, TIMES } from './delete-organization.ts'
import { endAccess, type SourceEnds } from './end-access.ts'
import { findRemoved } from './lease.ts'
import type { Logger } from '../kernel/logger.ts'

/** An organization that is being removed. */
export interface RemovalView {
  id: string
  name: string
  removedAt: string
}

export interface OrganizationRemovals {
  /**
   * Removes an organization: when it returns, nobody has access to it, and what it has is deleted after that. One that is being
   * removed already is looked at again now.
   * @throws AppError `not_found`, `removal_refused`, `upstream_error`, `overloaded`
   */
  remove(requestId: string, organizationId: string): Promise<RemovalView>
  /**
   * The same for the workspace that an owner is in.
   * @throws AppError `not_found` for another one, `role_required`, and as `remove` does
   */
  removeOwn(requestId: string, caller: ConsolePrincipal, organizationId: string): Promise<RemovalView>
  /** Deletes what is left of removed organizations, now and once a minute, where this process works. */
  start(): void
  /** Does so now. Never rejects: failures are logged. */
  settle(): Promise<void>
  /** Breaks off what is under way and hands its lease back. */
  stop(): Promise<void>
}

export interface OrganizationRemovalOptions extends SourceEnds {
  db: Db
  clock: Clock
  logger: Logger
  billing: Pick<Billing, 'whileNothingIsOwed'>
  /** Whether this process deletes; otherwise it is left to one that does. */
  works: boolean
  /** After the act, in this process. Does not throw. */
  onRemoved: () => void
  /** Of tests. */
  times?: Partial<RemovalTimes>
}

const INTERVAL_MS = 60_000

/** What the operator does to an organization that goes, and the work behind it. */
export function createOrganizationRemovals(options: OrganizationRemovalOptions): OrganizationRemovals {
  const { db, clock, logger, billing, works } = options
  const stopping = new AbortController()
  const { signal } = stopping
  const deleteOrganization = createDeletion({
    db,
    clock,
    logger,
    times: { ...TIMES, ...options.times },
    signal,
  })

  async function act(): Promise<void> {
    for (const organizationId of await findRemoved(db)) {
      if (signal.aborted) return
      await deleteOrganization(organizationId).catch((err: unknown) =>
        logger.error(
          { err, organizationId },
          'a removed organization could not be deleted yet; it is tried again',
        ),
      )
    }
  }
  const task = createTask({
    act,
    intervalMs: INTERVAL_MS,
    onError: (err) =>
      logger.error({ err }, 'removed organizations could not be looked for; it is tried again'),
  })

  async function removeNow(organizationId: string, check: Check): Promise<RemovalView> {
    const removed = await billing.whileNothingIsOwed(organizationId, () =>
      mark(options, organizationId, check),
    )
    options.onRemoved()
    if (works) void task.ask()
    return removed
  }

  return {
    async remove(requestId, organizationId) {
      const before = await read(db, organizationId)
      if (before.removedAt !== null) {
        if (works) void task.ask()
        return toView(before)
      }
      const removed = await removeNow(organizationId, async () => {})
      logger.info({ requestId, organizationId, name: removed.name }, 'the operator removed an organization')
      return removed
    },
    async removeOwn(requestId, { organizationId, userId }, asked) {
      if (asked !== organizationId) throw notFound()
      const removed = await removeNow(organizationId, (tx) => requireOwner(tx, organizationId, userId))
      logger.info(
        { requestId, organizationId, userId, name: removed.name },
        'an owner removed an organization',
      )
      return removed
    },
    start() {
      if (works) task.start()
    },
    settle: task.ask,
    async stop() {
      stopping.abort()
      await task.stop()
    },
  }
}

interface Organization {
  id: string
  name: string
  removedAt: Date | null
}

function toView({ id, name, removedAt }: Organization): RemovalView {
  if (removedAt === null) throw new Error('the organization is not being removed')
  return { id, name, removedAt: removedAt.toISOString() }
}

/** @throws AppError `not_found` */
async function read(db: Db, organizationId: string, isLocked = false): Promise<Organization> {
  const one = db
    .selectFrom('organizations')
    .select(['id', 'name', 'removed_at as removedAt'])
    .where('id', '=', organizationId)
  const row = await (isLocked ? one.forNoKeyUpdate() : one).executeTakeFirst()
  if (!row) throw notFound()
  return row
}

function notFound(): AppError {
  return new AppError('not_found', 'There is no such organization')
}

/** As they are at this moment: another owner may have changed it since the request came in. */
async function requireOwner(tx: Tx, organizationId: string, userId: string): Promise<void> {
  if ((await currentRole(tx, organizationId, userId)) === 'owner') return
  throw new AppError('role_required', 'Removing the workspace needs the role owner in it')
}

/** Whether whoever asks still may; runs once the organization's row is locked. Throws where not. */
type Check = (tx: Tx) => Promise<void>

/** Of several at once the first marks it. */
async function mark(
  options: OrganizationRemovalOptions,
  organizationId: string,
  check: Check,
): Promise<RemovalView> {
  return await changeOutOfTurn(options.db, organizationId, async (tx, changes) => {
    const organization = await read(tx, organizationId, true)
    await check(tx)
    if (organization.removedAt !== null) return toView(organization)
    const removedAt = options.clock.now()
    await endAccess(tx, changes, organizationId, { at: removedAt, ends: options })
    return toView({ ...organization, removedAt })
  })
}
