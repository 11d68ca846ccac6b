export {
  createGoogleDriveAdapter,
  GOOGLE_DRIVE_SCOPE,
  type GoogleDriveAdapterOptions,
} from './google-drive-adapter.ts'
export { computePolicyHealth, type PolicyHealth } from './policy-health.ts'
