/**
 * Removes organizations. A short transaction marks an organization and ends all access to it. A background process
 * then deletes its rows, in steps and under a lease, and its own row last. An interrupted deletion continues with the
 * rows that are left. The organization's row stays until requests from before the removal must have ended, so that
 * what they store has a row to refer to and is deleted too.
 */
import type { Billing } from '../billing/index.ts'
import { createTask } from '../background/index.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { ConsoleCaller } from '../kernel/caller.ts'
import { currentRole } from '../organizations/index.ts'
import { changeWithoutLock } from '../item-changes/index.ts'
import { createDeletion } from './delete-organization.ts'
import { endAccess, type SourceEnds } from './end-access.ts'
import { findRemoved } from './lease.ts'
import type { Logger } from '../kernel/logger.ts'

export interface RemovalView {
  id: string
  name: string
  removedAt: string
}

export interface OrganizationRemovals {
  /** Removes an organization: on return all access has ended; its rows are deleted afterward. @throws AppError */
  remove(requestId: string, organizationId: string): Promise<RemovalView>
  /** The same for the owner's current workspace. @throws AppError `not_found`, `role_required`, those of `remove` */
  removeOwn(requestId: string, caller: ConsoleCaller, organizationId: string): Promise<RemovalView>
  /** Deletes the rest of removed organizations now and once a minute, if this process runs background work. */
  start(): void
  /** Deletes now. Never rejects: failures are logged. */
  settle(): Promise<void>
  /** Interrupts the current deletion and releases its lease. */
  stop(): Promise<void>
}

export interface OrganizationRemovalOptions extends SourceEnds {
  db: Db
  clock: Clock
  logger: Logger
  billing: Pick<Billing, 'whileNothingIsOwed'>
  /** Whether this process deletes rows; otherwise another one does. */
  works: boolean
  /** Called in this process after the removal. Does not throw. */
  onRemoved: () => void
}

const INTERVAL_MS = 60_000

export function createOrganizationRemovals(options: OrganizationRemovalOptions): OrganizationRemovals {
  const { db, clock, logger, billing, works } = options

  async function act(): Promise<void> {
    const { signal } = task
    const deleteOrganization = createDeletion({ db, clock, logger, signal })
    for (const organizationId of await findRemoved(db)) {
      if (signal.aborted) return
      await deleteOrganization(organizationId).catch((err: unknown) =>
        logger.error({ err, organizationId }, 'a removed organization could not be deleted; will retry'),
      )
    }
  }
  const task = createTask({
    act,
    intervalMs: INTERVAL_MS,
    onError: (err) => logger.error({ err }, 'removed organizations could not be listed; will retry'),
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
    stop: task.stop,
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

/** Checks the current role: another owner may have changed it since the request began. */
async function requireOwner(tx: Tx, organizationId: string, userId: string): Promise<void> {
  if ((await currentRole(tx, organizationId, userId)) === 'owner') return
  throw new AppError('role_required', 'Deleting the workspace requires the role owner')
}

/** Runs once the organization's row is locked. @throws when the caller may no longer remove it */
type Check = (tx: Tx) => Promise<void>

/** The first of several concurrent requests marks it. */
async function mark(
  options: OrganizationRemovalOptions,
  organizationId: string,
  check: Check,
): Promise<RemovalView> {
  return await changeWithoutLock(options.db, organizationId, async (tx, changes) => {
    const organization = await read(tx, organizationId, true)
    await check(tx)
    if (organization.removedAt !== null) return toView(organization)
    const removedAt = options.clock.now()
    await endAccess(tx, changes, organizationId, { at: removedAt, ends: options })
    return toView({ ...organization, removedAt })
  })
}
