export { createGoogleDriveAdapter, type GoogleDriveAdapterOptions } from './adapter.ts'
