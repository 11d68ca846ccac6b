// Puts a document into the memory and asks about it: MEMORY_URL=… MEMORY_API_KEY=svc_… node client/examples/plain.ts
// In a project of your own: from '@retrieval-memory/client'.
import { Memory } from '../src/index.ts'

const memory = new Memory({
  apiKey: process.env.MEMORY_API_KEY ?? '',
  url: process.env.MEMORY_URL ?? 'http://127.0.0.1:8787',
})
const [source] = await memory.sources.list()
if (source === undefined) throw new Error('The workspace has no source yet: make one in the console')
await memory.ingest([
  {
    connectorId: source.id,
    provider: source.provider,
    sourceKind: 'document',
    externalId: 'handbook/pto',
    title: 'PTO policy',
    body: 'Employees accrue 25 days of paid time off per year.',
  },
])
for await (const event of memory.askStream('How many days of paid time off do I get?')) {
  if (event.type === 'delta') process.stdout.write(event.text)
  if (event.type === 'done') console.log('\n', event.answer.citations)
}
