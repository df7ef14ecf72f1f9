import {
  accepted,
  answer,
  answersLine,
  type CommandHandlers,
  type CommandTable,
  ok,
  remembered,
} from '../commands/command.ts'
import { huaweiToolkit, huaweiToolkitCommands } from '../commands/sim/sim-toolkit.ts'
import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import type { RegistrationReadings } from '../equipment/personality-traits.ts'
import { networkTime } from './network-time.ts'
import type { Personality } from './personality.ts'

const commands: CommandTable = {
  '^ICCID': iccid(),
  '+CCID': iccid(),
  '^CPIN': {
    needs: 'sim',
    read: ({ sim, pinState }) => {
      const { pin, pin2 } = sim?.guard ?? {}
      const left = pinState === 'SIM PIN' ? pin?.attemptsLeft : pinState === 'SIM PUK' ? pin?.pukAttemptsLeft : ''
      const counters = [pin?.pukAttemptsLeft, pin?.attemptsLeft, pin2?.pukAttemptsLeft, pin2?.attemptsLeft]
      return answer(`^CPIN: ${pinState},${left},${counters.join(',')}`)
    },
  },
  // The value 0 turns off lines that begin with ^, and 1 turns them on.
  '^CURC': remembered('^CURC', '(0-2)', '1', /^[0-2](,.*)?$/),
  '^HCSQ': { test: () => answer('^HCSQ: "NOSERVICE","GSM","WCDMA","LTE"'), read: (modem) => answer(hcsq(modem, ' ')) },
  '^SYSINFO': answersLine(
    ({ radio, simUsable }) => `^SYSINFO:${radio.registered ? 2 : 0},3,0,5,${simUsable ? 1 : 255},,7`,
  ),
  '^SYSINFOEX': answersLine(({ radio, simUsable }) => {
    const status = `${radio.registered ? 2 : 0},3,0,${simUsable ? 1 : 255}`
    return radio.registered ? `^SYSINFOEX:${status},,6,"LTE",101,"LTE"` : `^SYSINFOEX:${status},,0,"NO SERVICE",0,""`
  }),
  '^PORTSEL': remembered('^PORTSEL', '(0,1)', '1', /^[01]$/),
  '^GETPORTMODE': answersLine(() => '^GETPORTMODE:TYPE:WCDMA:huawei,MDM:0,DIAG:1,PCUI:2'),
  '^SETPORT': remembered('^SETPORT', '1,2,3,16,A1,A2', '"A1,A2;12,1,16,A1,A2"'),
  '^CARDLOCK': { read: () => answer('^CARDLOCK: 2,10,0') },
  '^SYSCFGEX': remembered('^SYSCFGEX', '("00","03","02","01"),,(0-2),(0-4),', '"00",3FFFFFFF,1,2,7FFFFFFFFFFFFFFF'),
  '^NDISSTATQRY': { read: () => answer('^NDISSTATQRY: 0,,,"IPV4"'), execute: () => answer('^NDISSTATQRY: 0,,,"IPV4"') },
  '^NDISDUP': accepted,
  '^DSFLOWQRY': answersLine(() => '^DSFLOWQRY:00000000,0000000000000000,0000000000000000'),
  '^U2DIAG': remembered('^U2DIAG', '(0-255)', '0', /^\d+$/),
  '^VERSION': {
    read: ({ personality: { identity } }) =>
      answer('^VERSION:BDT:May 20 2016, 10:00:00', `^VERSION:EXTS:${identity.revision}`, '^VERSION:INTH:CL1E3372SM'),
  },
  '^SN': answersLine(() => '^SN: EMULATED00000001'),
  ...huaweiToolkitCommands,
  '^RESET': {
    execute: (modem) => {
      modem.clock.after(100, () => modem.power.restart())
      return ok
    },
  },
}

function iccid(): CommandHandlers {
  const line = ({ sim }: MobileEquipment) => `^ICCID: ${sim?.iccid ?? ''}`
  return { needs: 'sim', test: () => ok, execute: (modem) => answer(line(modem)), read: (modem) => answer(line(modem)) }
}

function hcsq({ radio }: Pick<RegistrationReadings, 'radio'>, gap: string): string {
  const dbm = radio.signalDbm
  if (dbm === undefined) return `^HCSQ:${gap}"NOSERVICE"`
  return `^HCSQ:${gap}"LTE",${dbm + 120},${dbm + 113},151,24`
}

export const huaweiE3372: Personality = {
  name: 'huawei-e3372',
  title: 'Huawei E3372 stick',
  identity: {
    manufacturer: 'huawei',
    model: 'E3372',
    revision: '21.315.01.00.143',
    about: (imei) => [
      'Manufacturer: huawei',
      'Model: E3372',
      'Revision: 21.315.01.00.143',
      `IMEI: ${imei}`,
      '+GCAP: +CGSM,+DS,+ES',
    ],
    capabilities: '+CGSM,+DS,+ES',
  },
  factory: {
    characterSet: 'IRA',
    cnmi: { mode: 0, mt: 0, bm: 0, ds: 0, bfr: 0 },
    memories: ['SM', 'SM', 'SM'],
    errorReports: 0,
  },
  boot: {
    answersAfterMs: 4000,
    simAfterMs: 5000,
    smsAfterMs: 3000,
    registersAfterMs: 5000,
    lines: [],
    simLines: (state) => [state === 'READY' ? '^SIMST:1' : state === undefined ? '^SIMST:255' : '^SIMST:0'],
    smsLines: ['^STIN: 0,0,0'],
    registeredLines: ['^SRVST:2', '^MODE:17,17', '^RSSI:20', '^HCSQ:"LTE",47,40,151,24'],
  },
  messages: {
    firstIndex: 0,
    phoneCapacity: 20,
    reportCapacity: 0,
    storageRanges: '("SM","ME"),("SM","ME"),("SM","ME")',
    emptyAlpha: '',
    emptySlot: 'error',
    cnmiRanges: '(0,1,2),(0,1,2,3),(0,2),(0,1,2),(0,1)',
    acceptsCnmi: ({ mode, bm }) => mode <= 2 && (bm === 0 || bm === 2),
    cnmiRefusal: { cms: 302 },
    services: '(0,1)',
    acknowledges: true,
    losesStoredReports: false,
    submitWithinMs: 120_000,
    memoryFullLines: ({ name }) => [`^SMMEMFULL: "${name}"`],
  },
  registration: {
    commands: ['+CREG', '+CGREG', '+CEREG'],
    bestTechnology: 'lte',
    showsTechnology: true,
    cellDigits: 8,
    changeLines: (modem) => {
      if (modem.settings.remembered.get('^CURC')?.startsWith('0')) return []
      return [`^RSSI:${modem.radio.signalQuality}`, hcsq(modem, '')]
    },
  },
  unknownCommand: { text: 'COMMAND NOT SUPPORT' },
  commands,
  lacks: ['+C5GREG', '+CPINR', '+CIND', '+CMER', '+CALM', '+CMUT', '+CSAS', '+CRES'],
  characterSets: ['IRA', 'UCS2', 'GSM'],
  numbersInCharacterSet: true,
  ussd: 'packed',
  toolkit: huaweiToolkit,
  facilities: ['SC', 'AO', 'OI', 'OX', 'AI', 'IR', 'AB', 'AG', 'AC', 'PN', 'PU', 'PP', 'PC', 'FD'],
  phonebooks: ['ON'],
  usb: true,
  longestLine: 1024,
  statusLine: (random) => {
    const quality = random.integer(32)
    const lines = [
      `^RSSI:${quality}`,
      `^HCSQ:"LTE",${2 * quality},${2 * quality - 5},151,24`,
      `^RSSILVL:${20 * random.integer(5)}`,
      '^MODE:17,17',
      `^DSFLOWRPT:${hex(random.integer(65_536))},00000000,00000000,${hex(random.integer(65_536))}`,
      `^CSNR:-${80 + random.integer(30)},-${random.integer(20)}`,
      '^BOOT:20952548,0,0,0,75',
      '^SRVST:2',
      '^EONS:0',
    ]
    return lines[random.integer(lines.length)] ?? ''
  },
  timeLines: (epochMs, zoneQuarters) => {
    const { text, zone } = networkTime(epochMs, zoneQuarters)
    return [`^NWTIME: ${text}${zone},0`]
  },
}

function hex(number: number): string {
  return number.toString(16).toUpperCase().padStart(8, '0')
}
