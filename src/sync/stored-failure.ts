import { storableText } from '../kernel/text.ts'
import type { ItemFailure } from '../providers/index.ts'

const EXTERNAL_ID_CHARACTERS = 500
const TITLE_CHARACTERS = 500
const MESSAGE_CHARACTERS = 1_000

/** The external id by which failures are stored: that of an item, cut to a length. */
export function failureId(externalId: string): string {
  return storableText(externalId.slice(0, EXTERNAL_ID_CHARACTERS))
}

/** A failed or skipped item as its run stores it. */
export function storedFailure({ externalId, title = '', message, code }: ItemFailure, isSkip: boolean) {
  return {
    external_id: failureId(externalId),
    title: storableText(title.slice(0, TITLE_CHARACTERS)) || null,
    code: code ?? null,
    message: storableText(message.slice(0, MESSAGE_CHARACTERS)),
    is_skip: isSkip,
  }
}
