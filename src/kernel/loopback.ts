import { isIPv4 } from 'node:net'

/** Whether a host name without a port, as in a URL or a setting, can only be this machine's loopback. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'))
}
