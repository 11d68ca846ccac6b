export { adoptProviders } from './adopt-providers.ts'
export { clearAnnouncements, noteAnnouncement } from './push-announcements.ts'
export { Audience, audienceOf, connectorOf, hasAudience } from './audience.ts'
export { insertConnectedSource, reconnectSource } from './connect-source.ts'
export { insertFirstSources, insertPushOnlySource } from './push-only.ts'
export {
  failSource,
  failUnofferedSource,
  saveCursor,
  savePolicyHealth,
  saveSkippedCount,
  schedulePoll,
  settleSource,
} from './settle-source.ts'
export { createRemovals, type Removals } from './removals.ts'
export { sourceRoutes } from './routes.ts'
export {
  findSourcesOf,
  hasAccount,
  isNotRemoved,
  lockSource,
  readSource,
  requireSource,
  type Source,
} from './source.ts'
export { createSources, type SourceChannels } from './sources.ts'
