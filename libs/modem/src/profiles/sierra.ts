import { generic, indicationLadder } from './generic.ts'
import type { Profile } from './profile.ts'

export const sierra: Profile = {
  ...generic,
  name: 'sierra',
  fingerprints: [{ manufacturer: /sierra/i }, { usb: ['1199'] }],
  unsolicited: ['^MODE', '!GSTATUS', '+WDSI'].map((code) => ({ code })),
  iccidCommands: ['AT!ICCID?', ...generic.iccidCommands],
  indications: indicationLadder([1, 2, 0]),
  radio: { ...generic.radio, settleMs: 2000, resetCommands: ['AT!RESET', 'AT+CFUN=1,1'] },
  usb: [
    {
      ids: ['1199'],
      interfaceNumber: 4,
      role: 'ppp',
      words: 'The APP port answers OK to everything: it cannot be used for commands.',
    },
    { ids: ['1199'], interfaceNumber: 3, role: 'at' },
  ],
}
