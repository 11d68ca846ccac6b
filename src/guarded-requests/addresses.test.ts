import { describe, expect, it } from 'vitest'
import { AddressNotAllowed, guardedLookup, isPublicAddress, type ResolvedAddress } from './addresses.ts'

describe('a public address', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'is %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  it.each([
    ['this machine, or none at all', '127.0.0.1 127.255.255.254 0.0.0.0 0.1.2.3 ::1 ::'],
    ['a private network', '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fd12::1 fec0::1'],
    [
      "a provider's or a link's own",
      '100.64.0.1 100.100.100.200 169.254.169.254 168.63.129.16 fe80::1 fe80::1%eth0',
    ],
    ['a group', '224.0.0.1 239.1.2.3 255.255.255.255 ff02::1'],
    [
      'an example, a benchmark, or reserved',
      '240.0.0.1 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 192.0.0.8',
    ],
    ['special in IPv6', '192.88.99.1 2001:db8::1 2001:2::1 100::1 5f00::1'],
    [
      'an IPv4 address in IPv6',
      '::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1 ::10.0.0.1 ::808:808',
    ],
    [
      'one that is translated',
      '64:ff9b::7f00:1 64:ff9b:1::a00:1 2002:7f00:1:: 2001:0:7f00:1:: ::ffff:0:127.0.0.1',
    ],
    ['no address', 'localhost 127.1 0x7f000001 2130706433 1.2.3.4.5 1.2.3.4/8'],
  ])('is not %s: %s', (_kind, addresses) => {
    for (const address of addresses.split(' ')) expect(isPublicAddress(address), address).toBe(false)
  })
})

describe("a connection's address lookup", () => {
  const ask = (addresses: ResolvedAddress[], all: boolean) => {
    const lookup = guardedLookup(async () => addresses, isPublicAddress)
    return new Promise((resolve) =>
      lookup('hooks.example.com', { all }, (error, address, family) => resolve({ error, address, family })),
    )
  }
  const open = { address: '8.8.8.8', family: 4 }

  it('returns the checked addresses in the requested form', async () => {
    expect(await ask([open], false)).toEqual({ error: null, address: '8.8.8.8', family: 4 })
    expect(await ask([open], true)).toEqual({ error: null, address: [open], family: undefined })
  })

  it('fails when any address is not public, or there is none', async () => {
    for (const all of [true, false]) {
      expect(await ask([open, { address: '10.0.0.1', family: 4 }], all)).toMatchObject({
        error: new AddressNotAllowed(),
        address: [],
      })
      expect(await ask([], all)).toMatchObject({ error: { code: 'ENOTFOUND' } })
    }
  })
})
