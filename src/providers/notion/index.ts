export { createNotionAdapter, type NotionAdapterOptions } from './adapter.ts'
