export { createSlackAdapter, type SlackAdapterOptions } from './adapter.ts'
export { readSlackEvent, signSlackBody, verifySlackSignature, type SlackEventOutcome } from './webhook.ts'
export type { SlackHint } from './hints.ts'
