import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface ResolvedAddress {
  address: string
  family: number
}

export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>

export const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true })

/** The only IPv6 block of global addresses (https://www.iana.org/assignments/ipv6-address-space). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
/** A service inside Azure's machines, at an address that looks public. */
const AZURE_HOST = '168.63.129.16'

/** The URL's address, or one its name resolves to, is not allowed. */
export class AddressNotAllowed extends Error {
  constructor() {
    super('the address is not a public one')
    this.name = 'AddressNotAllowed'
  }
}

/** Whether an IP address is on the public internet: not local, private, multicast or special-purpose. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // For an IPv4-mapped IPv6 address, the IPv4 address counts.
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_HOST) return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6)
}

/** The IP address in a URL's host; null when the host is a name. */
export function literalAddress({ hostname }: URL): string | null {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 ? null : bare
}

/** A connection's lookup that returns only checked addresses, so that a name cannot change after the check. */
export function guardedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (addresses: readonly ResolvedAddress[]): void => {
      const [first] = addresses
      if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
      else if (!addresses.every(({ address }) => isAllowed(address))) callback(new AddressNotAllowed(), [])
      else if (options.all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }
    const fail = (error: Error): void => callback(error, [])
    void resolve(hostname).then(answer, fail)
  }
}
