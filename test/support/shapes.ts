import { expect } from 'vitest'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const UTC_TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** A version 4 UUID. */
export const anId = expect.stringMatching(UUID_V4)
/** An ISO 8601 timestamp in UTC. */
export const aTime = expect.stringMatching(UTC_TIMESTAMP)
export const aText = expect.any(String)
export const aNumber = expect.any(Number)
