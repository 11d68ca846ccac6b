/** What a person reads when the service has started; the admin key is in it only in the start that made it. */
export function banner(start: {
  url: string
  database: string
  model: string
  newSecret: string | null
}): string {
  const key = start.newSecret ?? '$MEMORY_API_KEY'
  const lines = [
    '',
    `  Retrieval Memory Service   ${start.url}`,
    `  API reference              ${start.url}/docs`,
    `  Database                   ${start.database}`,
    `  Embedding model            ${start.model}`,
  ]
  if (start.newSecret !== null) lines.push('', `  Admin key, shown this once: ${start.newSecret}`)
  lines.push(
    '',
    '  In another terminal, here, put documents in and ask about them:',
    '',
    `  export MEMORY_API_KEY=${key} MEMORY_URL=${start.url}`,
    '  npm run memory -- import docs && npm run memory -- ask "What happens when the credits are used up?"',
    '',
    '',
  )
  return start.newSecret === null
    ? lines.filter((line) => !line.includes('export MEMORY_API_KEY')).join('\n')
    : lines.join('\n')
}
