export { createGoogleDriveAdapter, type GoogleDriveAdapterOptions } from './google-drive-adapter.ts'
