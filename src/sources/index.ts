export { adoptProviders } from './adopt-providers.ts'
export { Audience, audienceOf, connectorOf, hasAudience } from './audience.ts'
export {
  failSource,
  failUnofferedSource,
  forgetAnnouncements,
  insertConnectedSource,
  insertPushOnlySource,
  insertPushOnlySources,
  noteAnnouncement,
  reconnectSource,
  saveCursor,
  savePolicyHealth,
  saveSkippedCount,
  schedulePoll,
  settleSource,
} from './change-source.ts'
export { createRemovals, type Removals } from './removals.ts'
export { sourceRoutes, type SourceServices } from './routes.ts'
export { findSourcesOf, hasAccount, isThere, lockSource, readSource, type Source } from './source.ts'
export { createSources, type SourceChannels, type SourceView } from './sources.ts'
export { markSourcesBeyondPlan } from './sources-beyond-plan.ts'
