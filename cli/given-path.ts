import path from 'node:path'

/** A path as the caller means it: npm runs scripts in the project's folder, and passes the caller's as INIT_CWD. */
export function givenPath(name: string): string {
  return path.resolve(process.env.INIT_CWD ?? process.cwd(), name)
}
