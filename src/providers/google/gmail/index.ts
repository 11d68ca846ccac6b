export { createGmailAdapter, type GmailAdapterOptions } from './adapter.ts'
