import { z } from 'zod'

/** A client id or a secret: any text. */
export const secretSetting = z.string().min(1).optional()
/** A base URL without a trailing slash. */
export const urlSetting = z
  .url({ protocol: /^https?$/ })
  .transform((value) => value.replace(/\/+$/, ''))
  .optional()

/** Returns a setting of a configured client. @throws when it is not set */
export function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}
