export { createSlackAdapter, type SlackAdapterOptions } from './slack-adapter.ts'
export {
  readSlackEvent,
  signSlackBody,
  verifySlackSignature,
  type SlackEventOutcome,
} from './slack-events.ts'
export { slackHint, type SlackHint } from './slack-hints.ts'
export { isSystemSubtype, SLACK_SYSTEM_SUBTYPES } from './slack-messages.ts'
