import { hexFromOctets, octetsFromHex } from '@smsgw/sms/octets'

/**
 * The TERMINAL RESPONSE (ETSI TS 102 223 §6.8) to a proactive command, both in hexadecimal. Returns undefined if the
 * text is not a proactive command.
 *
 * Nobody reads a display or presses a key, so a command that waits for a person ends the session of the SIM's program.
 * A command that only changes a setting is accepted. Any other command is answered with "beyond the capabilities".
 */
export function terminalResponseTo(hex: string): string | undefined {
  if (!/^([0-9a-f]{2})+$/i.test(hex)) return undefined
  const details = commandDetailsIn(octetsFromHex(hex))
  if (details === undefined) return undefined
  const [number, type, qualifier] = details
  const result = accepted.has(type) ? performed : waitsForPerson.has(type) ? endedByUser : beyondCapabilities
  return hexFromOctets(
    Uint8Array.of(commandDetailsTag, 3, number, type, qualifier, devicesTag, 2, terminal, uicc, resultTag, 1, result),
  ).toUpperCase()
}

/** Number, type and qualifier of the command. ETSI TS 102 223 §8.6 */
function commandDetailsIn(octets: Uint8Array): readonly [number, number, number] | undefined {
  if (octets[0] !== proactiveCommandTag) return undefined
  // A length of 128 and more takes a second octet, after 81. §7.1
  const contents = octets.subarray(octets[1] === 0x81 ? 3 : 2)
  for (let at = 0; at + 1 < contents.length; ) {
    const length = contents[at + 1] ?? 0
    const value = contents.subarray(at + 2, at + 2 + length)
    // The highest bit shows whether the terminal must understand the object.
    if (((contents[at] ?? 0) | 0x80) === commandDetailsTag && value.length === 3) {
      return [value[0] ?? 0, value[1] ?? 0, value[2] ?? 0]
    }
    at += 2 + length
  }
  return undefined
}

// ETSI TS 102 223 §9.2, §9.3, §8.7, §8.12
const proactiveCommandTag = 0xd0
const commandDetailsTag = 0x81
const devicesTag = 0x82
const resultTag = 0x83
const terminal = 0x82
const uicc = 0x81
const performed = 0x00
const endedByUser = 0x10
const beyondCapabilities = 0x30

/** MORE TIME, POLLING OFF, SET UP EVENT LIST, SET UP MENU, SET UP IDLE MODE TEXT. §9.4 */
const accepted: ReadonlySet<number> = new Set([0x02, 0x04, 0x05, 0x25, 0x28])
/** DISPLAY TEXT, GET INKEY, GET INPUT, SELECT ITEM. */
const waitsForPerson: ReadonlySet<number> = new Set([0x21, 0x22, 0x23, 0x24])
