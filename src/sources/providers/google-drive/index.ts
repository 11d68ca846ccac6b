export { createGoogleDriveAdapter, type GoogleDriveAdapterOptions } from './google-drive-adapter.ts'
export { computePolicyHealth, type PolicyHealth } from './policy-health.ts'
