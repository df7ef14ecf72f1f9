import { readPinStateWithoutFinalResult } from '../commands/sim-pin.ts'
import { generic } from './generic.ts'
import type { Profile } from './profile.ts'

/** Wavecom modules, Q2xxx and Fastrack; `+CPIN?` is answered without OK, `+CPMS=` takes one memory. */
export const wavecom: Profile = {
  ...generic,
  name: 'wavecom',
  fingerprints: [{ manufacturer: /wavecom/i }, { model: /^(MULTIBAND|Q2\d{3}|WISMO|FASTRACK)/i }],
  unsolicited: [{ code: '+WIND', body: '4', restart: 'likely' as const }, { code: '+WIND' }],
  pinState: readPinStateWithoutFinalResult,
  storage: { ...generic.storage, selectTakes: 1, receiveInto: ['SM'] },
}
