import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import { type EquipmentSettings, factorySettings } from '../equipment/settings.ts'
import {
  accepted,
  answer,
  type CommandHandlers,
  type CommandTable,
  error,
  type FormHandler,
  ok,
  remembered,
} from './command.ts'

/** The dialogue between modem and host: V.250 §5, §6 and CMEE. */
export const terminalCommands: CommandTable = {
  E: toggle('echo'),
  Q: toggle('quiet'),
  V: toggle('verbose'),
  S: {
    execute: () => ok,
    read: (modem, { raw }) => answer(String(register(modem.settings, Number(raw))).padStart(3, '0')),
    set: (modem, { raw }) => setRegister(modem.settings, raw),
  },
  Z: { execute: (modem, { raw }) => (raw === '' || raw === '0' ? reset(modem, true) : error) },
  '&F': { execute: (modem, { raw }) => (raw === '' || raw === '0' ? reset(modem, false) : error) },
  '&W': {
    execute: ({ settings, nonVolatile }) => {
      const { echo, quiet, verbose, errorReports } = settings
      nonVolatile.terminal = { echo, quiet, verbose, errorReports }
      nonVolatile.baudRate = settings.remembered.get('+IPR') ?? nonVolatile.baudRate
      return ok
    },
  },
  '&V': { execute: ({ settings }) => answer(profile(settings)) },
  '&C': accepted,
  '&D': accepted,
  '&K': accepted,
  '&S': accepted,
  '\\Q': accepted,
  X: accepted,
  L: accepted,
  M: accepted,
  T: accepted,
  P: accepted,
  '+CMEE': {
    test: () => answer('+CMEE: (0,1,2)'),
    read: ({ settings }) => answer(`+CMEE: ${settings.errorReports}`),
    set: ({ settings }, parameters) => {
      const level = parameters.number(0, 0)
      if (level !== 0 && level !== 1 && level !== 2) return error
      settings.errorReports = level
      return ok
    },
    execute: ({ settings }) => {
      settings.errorReports = 0
      return ok
    },
  },
  '+IPR': baudRate('115200'),
  '+IFC': remembered('+IFC', '(0-2),(0-2)', '0,0', /^[0-3](,[0-2])?$/),
  '+ICF': remembered('+ICF', '(0-6),(0-3)', '3,3', /^\d(,\d)?$/),
  '+ILRR': remembered('+ILRR', '(0,1)', '0', /^[01]$/),
}

/** The rate of the serial port; 0 if the modem detects it. The emulated port works at each rate. */
export function baudRate(initial: string): CommandHandlers {
  const ranges = '(),(0,1200,2400,4800,9600,19200,38400,57600,115200,230400,460800,921600)'
  return {
    ...remembered('+IPR', ranges, initial, /^\d+$/),
    read: ({ settings, nonVolatile }) =>
      answer(`+IPR: ${settings.remembered.get('+IPR') ?? nonVolatile.baudRate ?? initial}`),
  }
}

function toggle(setting: 'echo' | 'quiet' | 'verbose'): CommandHandlers {
  const execute: FormHandler = ({ settings }, { raw }) => {
    if (raw !== '' && raw !== '0' && raw !== '1') return error
    settings[setting] = raw === '1'
    return ok
  }
  return { execute }
}

function register(settings: EquipmentSettings, number: number): number {
  if (number === 3) return settings.lineEnd
  if (number === 4) return settings.lineFeed
  if (number === 5) return settings.backspace
  return settings.registers.get(number) ?? 0
}

function setRegister(settings: EquipmentSettings, assignment: string): typeof ok {
  const [number, value] = assignment.split('=').map(Number)
  if (number === undefined || value === undefined || value > 255 || number > 255) return error
  // V.250 §6.2.1 to §6.2.3
  if (number >= 3 && number <= 5 && value > 127) return error
  if (number === 3) settings.lineEnd = value
  else if (number === 4) settings.lineFeed = value
  else if (number === 5) settings.backspace = value
  else settings.registers.set(number, value)
  return ok
}

/** Resets the settings, but not storage, radio and the selected phonebook. */
function reset(modem: MobileEquipment, saved: boolean): typeof ok {
  const { memories, functionality, operatorMode, operatorFormat, phonebook } = modem.settings
  Object.assign(modem.settings, {
    ...factorySettings(modem.personality.factory),
    ...(saved ? modem.nonVolatile.terminal : {}),
    memories,
    functionality,
    operatorMode,
    operatorFormat,
    phonebook,
  })
  return ok
}

function profile(settings: EquipmentSettings): string {
  const flag = (on: boolean) => (on ? 1 : 0)
  const registers = [...settings.registers].map(([number, value]) => `S${number}:${String(value).padStart(3, '0')}`)
  return `E${flag(settings.echo)} Q${flag(settings.quiet)} V${flag(settings.verbose)} ${registers.join(' ')}`
}
