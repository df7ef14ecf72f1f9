import { answer, answersLine, type CommandTable, failWith, ok, remembered } from '../commands/command.ts'
import { baudRate } from '../commands/terminal.ts'
import { networkTime } from './network-time.ts'
import type { Personality } from './personality.ts'

const commands: CommandTable = {
  '+IPR': baudRate('0'),
  '+CCID': { needs: 'sim', ...answersLine(({ sim }) => `${sim?.iccid ?? ''}f`) },
  '+SPIC': {
    needs: 'sim',
    execute: ({ sim }) => {
      const { pin, pin2 } = sim?.guard ?? {}
      const counters = [pin?.attemptsLeft, pin2?.attemptsLeft, pin?.pukAttemptsLeft, pin2?.pukAttemptsLeft]
      return answer(`+SPIC: ${counters.join(',')}`)
    },
  },
  '+CBC': { test: () => answer('+CBC: (0-2),(1-100),(voltage)'), execute: () => answer('+CBC: 0,85,4012') },
  '+CENG': remembered('+CENG', '(0-4),(0,1)', '0,0', /^[0-4](,[01])?$/),
  '+CSPN': { needs: 'unlocked', read: ({ sim }) => answer(`+CSPN: "${sim?.serviceProviderName ?? ''}",0`) },
  '+CSMINS': {
    test: () => answer('+CSMINS: (0,1)'),
    read: ({ sim }) => answer(`+CSMINS: 0,${sim ? 1 : 0}`),
    set: () => ok,
  },
  '+CLTS': remembered('+CLTS', '(0,1)', '0', /^[01]$/),
  '+CPOWD': {
    test: () => answer('+CPOWD: (0,1)'),
    set: (modem) => {
      modem.unsolicited.say('NORMAL POWER DOWN')
      modem.clock.after(50, () => modem.power.off())
      return failWith('silence')
    },
  },
  '+GSV': { execute: () => answer('SIMCOM_Ltd', 'SIMCOM_SIM800L', 'Revision:1418B05SIM800L24') },
  '+CMTE': { read: () => answer('+CMTE: 0,28.50') },
  '+CSCLK': remembered('+CSCLK', '(0,1,2)', '0', /^[0-2]$/),
}

export const simcomSim800: Personality = {
  name: 'simcom-sim800',
  title: 'SIMCom SIM800L',
  identity: {
    manufacturer: 'SIMCOM_Ltd',
    model: 'SIMCOM_SIM800L',
    revision: '1418B05SIM800L24',
    revisionLine: 'Revision:1418B05SIM800L24',
    about: () => ['SIM800 R14.18'],
    capabilities: '+CGSM',
  },
  factory: {
    characterSet: 'IRA',
    cnmi: { mode: 2, mt: 1, bm: 0, ds: 0, bfr: 0 },
    memories: ['SM', 'SM', 'SM'],
    errorReports: 0,
  },
  boot: {
    answersAfterMs: 1500,
    simAfterMs: 3000,
    smsAfterMs: 5000,
    registersAfterMs: 3000,
    lines: [
      { afterMs: 1500, line: 'RDY' },
      { afterMs: 1800, line: '+CFUN: 1' },
    ],
    simLines: (state) => [`+CPIN: ${state ?? 'NOT INSERTED'}`],
    smsLines: ['SMS Ready'],
    registeredLines: ['Call Ready'],
  },
  messages: {
    firstIndex: 1,
    phoneCapacity: 0,
    reportCapacity: 0,
    storageRanges: '("SM"),("SM"),("SM")',
    emptyAlpha: '""',
    emptySlot: 'ok',
    cnmiRanges: '(0-3),(0-3),(0,2),(0,1),(0,1)',
    acceptsCnmi: ({ bm, ds }) => (bm === 0 || bm === 2) && ds <= 1,
    cnmiRefusal: 'ERROR',
    services: '(0-1)',
    acknowledges: true,
    losesStoredReports: false,
    submitWithinMs: 60_000,
    memoryFullLines: () => ['+SMS FULL'],
  },
  registration: {
    commands: ['+CREG', '+CGREG'],
    bestTechnology: 'edge',
    showsTechnology: false,
    cellDigits: 4,
    changeLines: () => [],
  },
  unknownCommand: 'ERROR',
  commands,
  lacks: ['+CEREG', '+C5GREG', '+CESQ', '+WS46', '+CPINR', '+CTZU', '+CTZR', '+CVHU'],
  characterSets: ['IRA', 'GSM', 'UCS2', 'HEX', 'PCCP', 'PCDN', '8859-1'],
  numbersInCharacterSet: true,
  ussd: 'text',
  facilities: ['AO', 'OI', 'OX', 'AI', 'IR', 'FD', 'SC', 'PN', 'PU', 'PP'],
  phonebooks: ['ME', 'ON', 'FD', 'DC', 'LD', 'MC', 'RC'],
  usb: false,
  longestLine: 556,
  statusLine: (random) => {
    const lines = [`+CSQN: ${random.integer(32)}, 0`, 'UNDER-VOLTAGE WARNNING', `+CENG: 1,${random.integer(2)}`]
    return lines[random.integer(lines.length)] ?? ''
  },
  timeLines: (epochMs, zoneQuarters) => {
    const { numbers, shortZone } = networkTime(epochMs, zoneQuarters)
    return [`*PSUTTZ: ${numbers.join(',')},"${shortZone}",0`, 'DST: 0']
  },
}
