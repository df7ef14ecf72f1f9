import type { MobileEquipment } from '../../equipment/mobile-equipment.ts'
import { answer, type CommandTable, cmeError, error, type Finished, ok } from '../command.ts'

/** PINs and locks: 27.007 §7.4, §7.5, §8.3, §8.65. */
export const simSecurityCommands: CommandTable = {
  '+CPIN': {
    needs: 'sim',
    test: () => ok,
    read: ({ pinState }) => answer(`+CPIN: ${pinState}`),
    set: (modem, parameters) => enterPin(modem, parameters.text(0), parameters.text(1)),
  },
  '+CPINR': {
    needs: 'sim',
    test: () => ok,
    execute: (modem) => answer(...pinCounters(modem)),
    set: (modem, parameters) => {
      const wanted = parameters.text(0) ?? ''
      return answer(...pinCounters(modem).filter((line) => line.startsWith(`+CPINR: ${wanted},`)))
    },
  },
  '+CLCK': {
    needs: 'sim',
    test: ({ personality }) => answer(`+CLCK: (${personality.facilities.map((name) => `"${name}"`).join(',')})`),
    set: (modem, parameters) => {
      const facility = parameters.text(0)?.toUpperCase() ?? ''
      const mode = parameters.number(1)
      if (!modem.personality.facilities.includes(facility) || ![0, 1, 2].includes(mode)) return cmeError(3)
      const isPin = facility === 'SC'
      if (mode === 2) return answer(`+CLCK: ${isPin && modem.sim?.guard.enabled ? 1 : 0}`)
      if (!isPin) return cmeError(3)
      return setPinLock(modem, mode === 1, parameters.text(2))
    },
  },
  '+CPWD': {
    needs: 'sim',
    test: () => answer('+CPWD: ("SC",8),("P2",8)'),
    set: ({ sim }, parameters) => {
      const facility = parameters.text(0)?.toUpperCase()
      const [old, next] = [parameters.text(1), parameters.text(2)]
      if (sim === undefined || old === undefined || next === undefined) return error
      if (facility !== 'SC' && facility !== 'P2') return cmeError(3)
      // 11.11 §9.2.9: a disabled PIN cannot be changed.
      if (facility === 'SC' && !sim.guard.enabled) return cmeError(3)
      return (facility === 'SC' ? sim.guard.pin : sim.guard.pin2).change(old, next) ? ok : wrongPin(sim.guard.pin)
    },
  },
}

function enterPin(modem: MobileEquipment, pin: string | undefined, newPin: string | undefined): Finished {
  const guard = modem.sim?.guard
  if (guard === undefined || pin === undefined) return error
  const before = guard.state
  if (before === 'ready') return cmeError(3)
  if (before === 'blocked') return cmeError(13)
  if (before === 'puk') {
    if (newPin === undefined) return cmeError(12)
    if (!guard.unblock(pin, newPin)) return cmeError(guard.pin.pukAttemptsLeft === 0 ? 13 : 16)
  } else if (!guard.verify(pin)) return wrongPin(guard.pin)
  modem.clock.after(0, () => modem.pinAccepted())
  return ok
}

function setPinLock(modem: MobileEquipment, enabled: boolean, pin: string | undefined): Finished {
  const guard = modem.sim?.guard
  if (guard === undefined || pin === undefined) return cmeError(11)
  return guard.setEnabled(enabled, pin) ? ok : wrongPin(guard.pin)
}

function wrongPin(pin: { readonly attemptsLeft: number }): Finished {
  return cmeError(pin.attemptsLeft === 0 ? 12 : 16)
}

function pinCounters({ sim }: MobileEquipment): string[] {
  if (sim === undefined) return []
  const { pin, pin2 } = sim.guard
  return [
    `+CPINR: SIM PIN,${pin.attemptsLeft},3`,
    `+CPINR: SIM PUK,${pin.pukAttemptsLeft},10`,
    `+CPINR: SIM PIN2,${pin2.attemptsLeft},3`,
    `+CPINR: SIM PUK2,${pin2.pukAttemptsLeft},10`,
  ]
}
