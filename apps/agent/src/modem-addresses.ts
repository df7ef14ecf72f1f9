import { z } from 'zod'
import type { Wanted } from './modems/discovery/find-places.ts'

/**
 * The setting MODEMS. An address that cannot name a port is wrong. A port that does not exist now is not wrong, because
 * its modem may be plugged in later.
 */
export function modemAddresses() {
  return z.string().superRefine((value, context) => {
    const wrong = partsOf(value)
      .flatMap((part) => (portsOf(part).length > 1 && portsOf(part).some(isWord) ? [part] : portsOf(part)))
      .find((port) => !isPort(port))
    if (wrong !== undefined) context.addIssue({ code: 'custom', message: `contains ${JSON.stringify(wrong)}, ${form}` })
  })
}

/** Splits MODEMS into `auto`, the listed addresses, and the second ports that follow a plus sign. */
export function wantedModems({ MODEMS: modems }: { readonly MODEMS: string }): Wanted {
  const named = partsOf(modems)
  const listed = named.filter((address) => address !== 'auto').map(portsOf)
  const seconds = listed.flatMap(([first = '', second]) => (second === undefined ? [] : [[first, second] as const]))
  return {
    auto: named.includes('auto'),
    addresses: listed.map(([first = '']) => first),
    ...(seconds.length > 0 && { seconds: Object.fromEntries(seconds) }),
  }
}

function partsOf(modems: string): readonly string[] {
  return modems
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/**
 * Splits only at a plus sign before an address, which begins with a path or a scheme. A device name such as
 * /dev/serial/by-id/usb-A+B may contain other plus signs.
 */
function portsOf(address: string): readonly string[] {
  return address.split(/\+(?=\.{0,2}\/|tcp:)/)
}

/** A blank or an asterisk is a list without commas, or a pattern. */
function isPort(address: string): boolean {
  if (isWord(address) || /^\.{0,2}\/[^\s*]+$/.test(address)) return true
  if (!/^(tcp|hilink):\/\//.test(address) || !URL.canParse(address)) return false
  const { protocol, hostname, port } = new URL(address)
  return hostname !== '' && (protocol === 'hilink:' || Number(port) > 0)
}

function isWord(address: string): boolean {
  return address === 'auto' || address === 'virtual'
}

const form = 'which is not a port. Write a device, tcp://host:port (1 to 65535) or hilink://host'
