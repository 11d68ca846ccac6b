import { z } from 'zod'
import { recordEvent } from '../audit/index.ts'
import type { Db } from '../database/database.ts'
import { transact } from '../database/retry-conflicts.ts'
import { prepare } from '../database/prepared.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { type AgentCaller, type Caller, type ConsoleCaller } from '../kernel/caller.ts'
import { hasRole } from '../kernel/roles.ts'
import { Readable, type Viewer } from '../kernel/viewer.ts'
import { foldAddress } from '../people/index.ts'
import { createReadableBy, readPermissionState } from './readable-by.ts'

/** Resolves what callers may read. Everything that shows or counts stored items uses it. */
interface Viewers {
  /** The caller with what it, or the person `email`, may read now. @throws AppError */
  viewerOf(caller: Caller, email: string | undefined): Promise<Viewer>
}

const Addresses = z.array(z.object({ email: z.string().nullable() }))
const selectAddress = prepare(`select email from users where id = $1 and email_verified`)

export function createViewers({ db, clock }: { db: Db; clock: Clock }): Viewers {
  const readableBy = createReadableBy(db)

  const readableByPerson = async (caller: ConsoleCaller, asked: string | null): Promise<Readable> => {
    const { organizationId } = caller
    const state = await readPermissionState(db, organizationId)
    if (asked === null && !state.isEnforced) return Readable.everything
    const own = await addressOf(db, caller)
    if (asked !== null && asked !== own) await preview(db, caller, asked, clock.now())
    return await readableBy(organizationId, asked ?? own ?? '', state)
  }

  const readableByKey = async (caller: AgentCaller, asked: string | null): Promise<Readable> => {
    const { organizationId, requiresUser } = caller
    if (asked !== null)
      return await readableBy(organizationId, asked, await readPermissionState(db, organizationId))
    if (!requiresUser) return Readable.everything
    throw new AppError(
      'user_required',
      'This API key reads on behalf of people only; name the person in onBehalfOf',
    )
  }

  return {
    async viewerOf(caller, email) {
      const asked = email === undefined ? null : foldAddress(email)
      const readable = await (caller.kind === 'console'
        ? readableByPerson(caller, asked)
        : readableByKey(caller, asked))
      return { ...caller, readable }
    },
  }
}

/** The verified address of a signed-in person; null when there is none. */
async function addressOf(db: Db, { userId }: ConsoleCaller): Promise<string | null> {
  const { rows } = await selectAddress(db, [userId])
  const email = Addresses.parse(rows)[0]?.email ?? null
  return email === null ? null : foldAddress(email)
}

/** Records that a member reads on behalf of another person. @throws AppError `role_required` */
async function preview(db: Db, caller: ConsoleCaller, email: string, at: Date): Promise<void> {
  if (!hasRole(caller.role, 'admin'))
    throw new AppError(
      'role_required',
      'Only owners and admins of the workspace can ask on behalf of other people',
    )
  await transact(db, (tx) =>
    recordEvent(tx, caller, {
      action: 'permissions.preview',
      target: ['person', email],
      metadata: { email },
      providers: [],
      at,
    }),
  )
}
