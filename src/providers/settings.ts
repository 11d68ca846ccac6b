import { z } from 'zod'

/** A client id, a secret: text of any form. */
export const secretSetting = z.string().min(1).optional()
/** A base URL, without a slash at its end. */
export const urlSetting = z
  .url({ protocol: /^https?$/ })
  .transform((value) => value.replace(/\/+$/, ''))
  .optional()

/** A client's setting, once it is known to be set. @throws when it is not */
export function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}
