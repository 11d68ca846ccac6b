import { isIPv4 } from 'node:net'

/** Whether a host, as URLs and settings write it and without its port, is this machine's loopback and nothing else. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}
