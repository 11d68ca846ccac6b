export { createNotionAdapter, type NotionAdapterOptions } from './notion-adapter.ts'
