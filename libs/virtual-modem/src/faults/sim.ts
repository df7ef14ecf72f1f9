import { fault } from './fault-description.ts'

export const simFaults = {
  'sim-busy': fault('The SIM is busy for a while after start (CME 14, or 515)', { forMs: 10_000, code: 14 }),
  'pin-attempts': fault('Wrong PINs have left so few attempts', { left: 1 }),
}
