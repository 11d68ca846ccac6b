import type { Settings } from '../config.ts'
import { signInObstacle } from './console-identity.ts'

/** What the settings leave out, although the service can start: a sentence for each, to be logged. */
export function settingWarnings(settings: Settings): string[] {
  const warnings: string[] = []
  if (settings.ROLE !== 'all' && settings.DATABASE_URL === undefined)
    warnings.push(
      `ROLE=${settings.ROLE} does half of the work, and no other process can use the embedded database: ` +
        'set DATABASE_URL, or ROLE=all',
    )
  // A worker serves no console and sends no invitations.
  if (settings.ROLE === 'worker') return warnings
  const obstacle = signInObstacle(settings)
  if (obstacle !== null) warnings.push(`console sign-in is off: ${obstacle}`)
  if (settings.SMTP_URL !== undefined && settings.PUBLIC_URL === undefined)
    warnings.push('links in mails open only on this machine: set PUBLIC_URL')
  return warnings
}
