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
    '  Try it:',
    `  curl -s ${start.url}/v1/search -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '{"query":"how many vacation days do I get"}'`,
    '',
    '',
  )
  return lines.join('\n')
}
