import { pinCounter } from '../commands/pin-counter.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Cinterion, Gemalto, Thales, and the Siemens modules and terminals they come from. */
export const cinterion: Profile = {
  ...generic,
  name: 'cinterion',
  fingerprints: [
    { manufacturer: /cinterion|gemalto|thales|siemens/i },
    { manufacturer: /cinterion|gemalto|thales|siemens/i, model: /^(TC|MC|EHS|PHS|PLS|ELS|BGS|PXS|PLPS|HC)\d/i },
    { usb: ['1e2d', '0681'] },
  ],
  unsolicited: ['^SYSINFO', '^SSMSS', '^SIND', '^SCKS', '^SSTN', '^SHUTDOWN', '^SBC', '^EXIT', '^SIS'].map((code) => ({
    code,
  })),
  // For the code that is asked for at the moment, which is the PIN whenever we ask.
  pinCounters: [pinCounter('AT^SPIC', '^SPIC', 0), ...generic.pinCounters],
  iccidCommands: ['AT^SCID', ...generic.iccidCommands],
  acknowledgement: 'one',
  // The manual of EHS6 has the command; a long experience with the family leaves it alone.
  submit: { ...generic.submit, keepLinkOpen: false },
  radio: { ...generic.radio, resetCommands: ['AT^SMSO=1', 'AT+CFUN=1,1'] },
}
