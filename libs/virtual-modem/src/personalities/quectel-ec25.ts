import { accepted, answer, answersLine, type CommandTable, ok, remembered } from '../commands/command.ts'
import type { MobileEquipment } from '../equipment/mobile-equipment.ts'
import { networkTime } from './network-time.ts'
import type { Personality } from './personality.ts'

const commands: CommandTable = {
  '+QCCID': { needs: 'sim', ...answersLine(({ sim }) => `+QCCID: ${sim?.iccid ?? ''}`) },
  '+ICCID': { needs: 'sim', ...answersLine(({ sim }) => `+ICCID: ${sim?.iccid ?? ''}`) },
  '+QPINC': {
    needs: 'sim',
    test: () => answer('+QPINC: ("SC","P2")'),
    read: ({ sim }) => {
      const { pin, pin2 } = sim?.guard ?? {}
      return answer(
        `+QPINC: "SC",${pin?.attemptsLeft},${pin?.pukAttemptsLeft}`,
        `+QPINC: "P2",${pin2?.attemptsLeft},${pin2?.pukAttemptsLeft}`,
      )
    },
  },
  '+QINISTAT': {
    test: () => answer('+QINISTAT: (0-7)'),
    execute: ({ simUsable, smsReady }) => answer(`+QINISTAT: ${smsReady ? 7 : simUsable ? 1 : 0}`),
  },
  '+QNWINFO': {
    test: () => ok,
    execute: ({ radio }) => {
      const { coverage } = radio
      if (coverage === undefined || !radio.registered) return answer('+QNWINFO: No Service')
      const isLte = coverage.technology === 'lte'
      const [kind, band] = isLte ? ['FDD LTE', 'LTE BAND 3'] : ['WCDMA', 'WCDMA 2100']
      return answer(`+QNWINFO: "${kind}","${coverage.operator.numeric}","${band}",${isLte ? 1300 : 10713}`)
    },
  },
  '+QCSQ': {
    test: () => answer('+QCSQ: "NOSERVICE","GSM","WCDMA","LTE"'),
    execute: ({ radio }) => {
      const dbm = radio.signalDbm
      if (dbm === undefined) return answer('+QCSQ: "NOSERVICE"')
      return answer(`+QCSQ: "LTE",${dbm},${dbm - 27},148,-9`)
    },
  },
  '+QSPN': {
    needs: 'unlocked',
    execute: ({ radio, sim }) => {
      const operator = radio.coverage?.operator
      const { name = '', shortName = '', numeric = '' } = operator ?? {}
      return answer(`+QSPN: "${name}","${shortName}","${sim?.serviceProviderName ?? ''}",0,"${numeric}"`)
    },
  },
  '+QENG': {
    set: ({ radio }) => {
      const { coverage } = radio
      if (coverage === undefined) return answer('+QENG: "servingcell","SEARCH"')
      const { numeric } = coverage.operator
      const cell = coverage.cellId.toString(16).toUpperCase()
      const area = coverage.areaCode.toString(16).toUpperCase()
      const place = `${numeric.slice(0, 3)},${numeric.slice(3)},${cell},318,1300,3,5,5,${area}`
      return answer(`+QENG: "servingcell","NOCONN","LTE","FDD",${place},-100,-9,-73,10,20`)
    },
  },
  '+QLTS': {
    execute: ({ epochMs, network }) => {
      const time = networkTime(epochMs, network.zoneQuarters)
      return answer(`+QLTS: "20${time.text}${time.zone},0"`)
    },
    set: ({ epochMs, network }) => {
      const time = networkTime(epochMs, network.zoneQuarters)
      return answer(`+QLTS: "20${time.text}${time.zone},0"`)
    },
  },
  '+QSIMSTAT': {
    test: () => answer('+QSIMSTAT: (0,1)'),
    read: ({ sim }) => answer(`+QSIMSTAT: 0,${sim ? 1 : 0}`),
    set: () => ok,
  },
  '+QSIMDET': remembered('+QSIMDET', '(0,1),(0,1)', '0,0', /^[01],[01]$/),
  '+QINDCFG': remembered('+QINDCFG', '"all",(0,1)', '"all",1'),
  '+QURCCFG': remembered('+QURCCFG', '"urcport",("usbat","usbmodem","uart1")', '"urcport","usbat"'),
  '+QCFG': remembered('+QCFG', '"ims",(0-2)', '"ims",0'),
  '+QGMR': answersLine(({ personality }) => `${personality.identity.revision}_01.001.01.001`),
  '+CSUB': answersLine(() => 'SubEdition: V06'),
  '+QPOWD': {
    test: () => answer('+QPOWD: (0,1)'),
    set: (modem) => powerDown(modem),
    execute: (modem) => powerDown(modem),
  },
  '+QHUP': accepted,
}

function powerDown(modem: MobileEquipment): typeof ok {
  modem.clock.after(200, () => {
    modem.unsolicited.say('POWERED DOWN')
    modem.power.off()
  })
  return ok
}

export const quectelEc25: Personality = {
  name: 'quectel-ec25',
  title: 'Quectel EC25',
  identity: {
    manufacturer: 'Quectel',
    model: 'EC25',
    revision: 'EC25EFAR06A06M4G',
    about: () => ['Quectel', 'EC25', 'Revision: EC25EFAR06A06M4G'],
    capabilities: '+CGSM',
  },
  factory: {
    characterSet: 'GSM',
    cnmi: { mode: 2, mt: 1, bm: 0, ds: 0, bfr: 0 },
    memories: ['ME', 'ME', 'ME'],
    errorReports: 1,
  },
  boot: {
    answersAfterMs: 6000,
    simAfterMs: 7000,
    smsAfterMs: 4000,
    registersAfterMs: 3000,
    lines: [
      { afterMs: 5500, line: 'RDY' },
      { afterMs: 6200, line: '+CFUN: 1' },
    ],
    simLines: (state) =>
      state === undefined ? ['+CPIN: NOT INSERTED'] : [`+CPIN: ${state}`, ...(state === 'READY' ? ['+QUSIM: 1'] : [])],
    smsLines: ['+QIND: SMS DONE', '+QIND: PB DONE'],
    registeredLines: [],
  },
  messages: {
    firstIndex: 0,
    phoneCapacity: 255,
    reportCapacity: 10,
    storageRanges: '("ME","MT","SM","SR"),("ME","MT","SM","SR"),("ME","MT","SM","SR")',
    emptyAlpha: '',
    emptySlot: 'ok',
    cnmiRanges: '(0-2),(0-3),(0,2),(0-2),(0,1)',
    acceptsCnmi: ({ mode, bm }) => mode <= 2 && (bm === 0 || bm === 2),
    cnmiRefusal: { cms: 303 },
    services: '(0,1)',
    acknowledges: true,
    losesStoredReports: true,
    submitWithinMs: 120_000,
    memoryFullLines: ({ name }) => [`+QIND: "smsfull","${name}"`],
  },
  registration: {
    commands: ['+CREG', '+CGREG', '+CEREG'],
    bestTechnology: 'lte',
    showsTechnology: true,
    cellDigits: 8,
    changeLines: ({ radio, settings }) => {
      if (settings.remembered.get('+QINDCFG') !== '"csq",1') return []
      return [`+QIND: "csq",${radio.signalQuality},99`]
    },
  },
  unknownCommand: 'ERROR',
  commands,
  lacks: ['+C5GREG', '+CIND', '+CMER'],
  characterSets: ['GSM', 'IRA', 'UCS2'],
  numbersInCharacterSet: true,
  ussd: 'text',
  facilities: ['SC', 'AO', 'OI', 'OX', 'AI', 'IR', 'AB', 'AG', 'AC', 'PN', 'PU', 'PP', 'PC', 'PF', 'FD'],
  phonebooks: ['ME', 'ON', 'FD', 'DC', 'LD', 'MC', 'RC', 'EN'],
  usb: true,
  longestLine: 1024,
  statusLine: (random) => {
    const lines = [`+QIND: "csq",${random.integer(32)},99`, '+QIND: "act","LTE"', `+QUSIM: ${random.integer(2)}`]
    return lines[random.integer(lines.length)] ?? ''
  },
  timeLines: (epochMs, zoneQuarters) => {
    const { numbers, text, shortZone, zone } = networkTime(epochMs, zoneQuarters)
    return [`+CTZV: ${shortZone}`, `+CTZE: "${zone}",0,"${numbers[0]}${text.slice(2)}"`]
  },
}
