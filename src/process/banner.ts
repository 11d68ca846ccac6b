import type { SignIn } from '../assembly/console-identity.ts'

/** For a first try: the project's own docs answer it. */
const FIRST_QUESTION = 'How do I rotate the encryption key?'

/** The text shown when the service has started. It contains the admin key only on the start that created it. */
export function banner(start: {
  url: string
  database: string
  model: string
  signIn: SignIn
  newSecret: string | null
}): string {
  const lines = [
    '',
    `  Retrieval Memory Service   ${start.url}`,
    `  Console                    ${start.url}/console/`,
    `  Guide                      ${start.url}/guide/`,
    `  API reference              ${start.url}/docs`,
    `  Database                   ${start.database}`,
    `  Embedding model            ${start.model}`,
    `  Console sign-in            ${signInLine(start.signIn)}`,
    '',
  ]
  if (start.newSecret !== null) {
    lines.push(
      `  Admin key, shown only once: ${start.newSecret}`,
      '',
      '  In another terminal, in this folder, import these docs and ask about them:',
      '',
      `  export MEMORY_API_KEY=${start.newSecret} MEMORY_URL=${start.url}`,
      `  npm run memory -- import docs && npm run memory -- ask "${FIRST_QUESTION}"`,
      '',
    )
  }
  return `${lines.join('\n')}\n`
}

function signInLine(signIn: SignIn): string {
  switch (signIn.by) {
    case 'issuer':
      return signIn.issuer
    case 'development':
      return 'built in: any user of this machine is signed in as the owner'
    case 'nobody':
      return `none: ${signIn.reason}`
  }
}
