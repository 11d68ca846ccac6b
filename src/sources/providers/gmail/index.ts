export { createGmailAdapter, GMAIL_SCOPE, type GmailAdapterOptions } from './gmail-adapter.ts'
