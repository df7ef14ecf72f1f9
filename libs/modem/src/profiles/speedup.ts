import { type PinTries, pinTries } from '../commands/pin-counter.ts'
import type { Query } from '../commands/query.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** `PIN1=3; PUK1=10; PIN2=3; PUK2=10`, without a prefix. */
const speedupPinCounter: Query<PinTries> = {
  text: 'AT+CPNNUM',
  timeoutMs: 5000,
  bare: (line) => line.startsWith('PIN1='),
  read: (lines) => {
    const left = (code: string) => {
      const digits = new RegExp(`\\b${code}=(\\d{1,3})`).exec(lines.at(-1)?.text ?? '')?.[1]
      return digits === undefined ? undefined : Number(digits)
    }
    return pinTries(left('PIN1'), left('PUK1'))
  },
}

/** Longcheer sticks, sold as SpeedUp, Alcatel X, 4G Systems. */
export const speedup: Profile = {
  ...generic,
  name: 'speedup',
  fingerprints: [{ manufacturer: /speedup|longcheer/i }, { usb: ['1c9e'] }],
  pinCounters: [speedupPinCounter, ...generic.pinCounters],
}
