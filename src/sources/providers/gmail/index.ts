export { createGmailAdapter, type GmailAdapterOptions } from './gmail-adapter.ts'
