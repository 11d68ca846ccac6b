export { createSlackAdapter, type SlackAdapterOptions } from './slack-adapter.ts'
export {
  readSlackEvent,
  signSlackBody,
  verifySlackSignature,
  type SlackEventOutcome,
} from './slack-events.ts'
export type { SlackHint } from './slack-hints.ts'
