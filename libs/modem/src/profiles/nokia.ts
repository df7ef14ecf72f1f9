import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Nokia S60 and other smartphones: they send, and show nothing of what they receive (`+CPMS: (),(),()`). */
export const nokia: Profile = {
  ...generic,
  name: 'nokia',
  fingerprints: [{ manufacturer: /nokia|symbian/i }, { usb: ['0421'] }],
  advice: ['Can send. What arrives stays in the phone: it offers no memory to be read.'],
}
