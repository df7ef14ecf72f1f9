import { answer, answersLine, type CommandTable, error, ok, remembered } from '../commands/command.ts'
import { simcomToolkit, simcomToolkitCommands } from '../commands/sim/sim-toolkit.ts'
import { isRegistered } from '../network/coverage.ts'
import { networkTime } from './network-time.ts'
import type { Personality } from './personality.ts'

const commands: CommandTable = {
  '+CICCID': { needs: 'sim', ...answersLine(({ sim }) => `+ICCID: ${sim?.iccid ?? ''}`) },
  '+CCID': { needs: 'sim', ...answersLine(({ sim }) => `+CCID: ${sim?.iccid ?? ''}`) },
  '+SPIC': {
    needs: 'sim',
    execute: ({ sim }) => {
      const { pin, pin2 } = sim?.guard ?? {}
      const counters = [pin?.attemptsLeft, pin?.pukAttemptsLeft, pin2?.attemptsLeft, pin2?.pukAttemptsLeft]
      return answer(`+SPIC: ${counters.join(',')}`)
    },
  },
  '+CPSI': {
    test: () => answer('+CPSI: (0-255)'),
    read: ({ radio }) => {
      const { coverage } = radio
      if (coverage === undefined || !isRegistered(coverage.stat)) return answer('+CPSI: NO SERVICE,Online')
      const { operator, areaCode, cellId } = coverage
      const place = `${operator.numeric.slice(0, 3)}-${operator.numeric.slice(3)}`
      const area = `0x${areaCode.toString(16).toUpperCase()}`
      return answer(`+CPSI: LTE,Online,${place},${area},${cellId},318,EUTRAN-BAND3,1300,5,5,-90,-1000,-730,15`)
    },
    set: () => ok,
  },
  '+CNSMOD': {
    test: () => answer('+CNSMOD: (0,1)'),
    read: ({ radio, settings }) =>
      answer(`+CNSMOD: ${settings.remembered.get('+CNSMOD') ?? 0},${radio.registered ? 8 : 0}`),
    set: ({ settings }, { raw }) => {
      if (raw !== '0' && raw !== '1') return error
      settings.remembered.set('+CNSMOD', raw)
      return ok
    },
  },
  '+CNMP': remembered('+CNMP', '(2,9,10,13,14,19,22,38,39,48,51,54,59,60,63,67)', '2', /^\d+$/),
  '+AUTOCSQ': remembered('+AUTOCSQ', '(0,1),(0,1)', '0,0', /^[01](,[01])?$/),
  '+CSQDELTA': remembered('+CSQDELTA', '(0-5)', '5', /^[0-5]$/),
  '+CPOF': {
    execute: (modem) => {
      modem.clock.after(200, () => modem.power.off())
      return ok
    },
  },
  '+CRESET': {
    execute: (modem) => {
      modem.clock.after(200, () => modem.power.restart())
      return ok
    },
  },
  ...simcomToolkitCommands,
  '+SIMEI': answersLine(({ imei }) => `+SIMEI: ${imei}`),
  '+CSUB': answersLine(() => '+CSUB: B04V03'),
}

export const simcomSim7600: Personality = {
  name: 'simcom-sim7600',
  title: 'SIMCom SIM7600E-H',
  identity: {
    manufacturer: 'SIMCOM INCORPORATED',
    model: 'SIMCOM_SIM7600E-H',
    revision: 'LE20B04SIM7600G22',
    revisionLine: '+CGMR: LE20B04SIM7600G22',
    about: (imei) => [
      'Manufacturer: SIMCOM INCORPORATED',
      'Model: SIMCOM_SIM7600E-H',
      'Revision: LE20B04SIM7600G22',
      `IMEI: ${imei}`,
      '+GCAP: +CGSM',
    ],
    capabilities: '+CGSM',
  },
  factory: {
    characterSet: 'IRA',
    cnmi: { mode: 1, mt: 1, bm: 0, ds: 0, bfr: 0 },
    memories: ['SM', 'SM', 'SM'],
    errorReports: 2,
  },
  boot: {
    answersAfterMs: 9000,
    simAfterMs: 10_000,
    smsAfterMs: 5000,
    registersAfterMs: 4000,
    lines: [{ afterMs: 8500, line: 'RDY' }],
    simLines: (state) => [`+CPIN: ${state ?? 'SIM REMOVED'}`],
    smsLines: ['SMS DONE', 'PB DONE'],
    registeredLines: [],
  },
  messages: {
    firstIndex: 0,
    phoneCapacity: 23,
    reportCapacity: 10,
    storageRanges: '("ME","MT","SM","SR"),("ME","MT","SM","SR"),("ME","MT","SM","SR")',
    emptyAlpha: '""',
    emptySlot: 'error',
    cnmiRanges: '(0,1,2),(0,1,2,3),(0,2),(0,1,2),(0,1)',
    // The Qualcomm firmware lists mode 2, but refuses it.
    acceptsCnmi: ({ mode, bm }) => mode <= 1 && (bm === 0 || bm === 2),
    cnmiRefusal: 'ERROR',
    services: '(0-1)',
    acknowledges: true,
    losesStoredReports: false,
    submitWithinMs: 120_000,
    memoryFullLines: () => ['+SMS FULL'],
  },
  registration: {
    commands: ['+CREG', '+CGREG', '+CEREG'],
    bestTechnology: 'lte',
    showsTechnology: true,
    cellDigits: 8,
    changeLines: ({ radio, settings }) => [
      ...(settings.remembered.get('+AUTOCSQ')?.startsWith('1') ? [`+CSQ: ${radio.signalQuality},99`] : []),
      ...(settings.remembered.get('+CNSMOD') === '1' ? [`+CNSMOD: ${radio.registered ? 8 : 0}`] : []),
    ],
  },
  unknownCommand: 'ERROR',
  commands,
  lacks: ['+C5GREG'],
  characterSets: ['IRA', 'GSM', 'UCS2'],
  numbersInCharacterSet: true,
  ussd: 'text',
  toolkit: simcomToolkit,
  facilities: ['AO', 'OI', 'OX', 'AI', 'IR', 'AB', 'AG', 'AC', 'FD', 'PF', 'PN', 'PU', 'PP', 'PC', 'SC'],
  phonebooks: ['ME', 'ON', 'FD', 'DC', 'LD', 'MC', 'RC', 'EN'],
  usb: true,
  longestLine: 1024,
  statusLine: (random) => {
    const lines = [`+CSQ: ${random.integer(32)},99`, `+CNSMOD: ${7 + random.integer(2)}`, '+STIN: 25']
    return lines[random.integer(lines.length)] ?? ''
  },
  timeLines: (epochMs, zoneQuarters) => [`+CTZV: ${networkTime(epochMs, zoneQuarters).zone},0`],
}
