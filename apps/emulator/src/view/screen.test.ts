import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { eventText } from '../network-events.ts'
import { cut, signalBars } from './layout.ts'
import { drawScreen, type Scene } from './screen.ts'

const operator = { name: 'Emulated Mobile', shortName: 'EMU', numeric: '00101' }
const coverage = {
  stat: 1,
  technology: 'lte',
  operator,
  signalDbm: -73,
  bitErrorRate: 99,
  areaCode: 1,
  cellId: 1,
} as const

const scene: Scene = {
  modems: [
    {
      name: 'modem0',
      where: '/dev/modem0 → /dev/pts/3',
      state: {
        imei: '356938035648097',
        personality: 'quectel-ec25',
        power: 'on',
        port: 'open',
        hung: false,
        sim: {
          msisdn: '+447700900001',
          iccid: '8944100077009000017',
          imsi: '234157700900001',
          pin: 'ready',
          pinAttemptsLeft: 3,
          pukAttemptsLeft: 10,
          serviceCentre: '+447700900000',
          lastMessageReference: 7,
          messages: 1,
          messageCapacity: 30,
          contacts: 2,
        },
        coverage,
        memories: [{ name: 'SM', used: 1, capacity: 30 }],
        settings: {
          messageFormat: 'pdu',
          cnmi: '2,1,0,1,0',
          storage: '"ME","ME","ME"',
          characterSet: 'GSM',
          errorReports: 1,
        },
        faults: [{ name: 'prompt-late', options: {}, struck: 2 }],
        counts: { bytesIn: 1, bytesOut: 2, commands: 3, submitted: 4, arrived: 5 },
      },
    },
  ],
  selected: 0,
  network: {
    operator,
    serviceCentre: '+447700900000',
    latencyMs: { minMs: 100, maxMs: 200 },
    accepted: 4,
    left: [],
    policies: [],
    ussdCodes: [],
    subscribers: [{ msisdn: '+447700900001', attached: true, kept: 3, coverage }],
  },
  traffic: Array.from({ length: 200 }, (_, index) => ({
    epochMs: 0,
    modem: 'modem0',
    direction: 'in',
    text: `AT${index}<CR>`,
  })),
  events: ['one', 'two\x1b[2J\nthree'],
  status: 'keys',
}

const plain = (line: string) => stripVTControlCharacters(line)

test.each([
  [120, 40],
  [80, 24],
  [40, 10],
  [20, 3],
  [1, 1],
])('%i × %i: as many lines as the terminal has, none wider, the status line last', (columns, rows) => {
  const lines = drawScreen(scene, columns, rows).map(plain)
  expect(lines).toHaveLength(rows)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
  expect(lines.at(-1)).toBe('keys'.slice(0, columns))
})

test('shows the modem, its SIM, its faults, the network and the newest traffic', () => {
  const text = drawScreen(scene, 160, 40).map(plain).join('\n')
  for (const part of [
    '▸ modem0',
    'ICCID 8944100077009000017',
    'SM 1/30',
    'prompt-late×2',
    'latency 100–200 ms',
    'kept 3',
    '→ AT199<CR>',
  ])
    expect(text).toContain(part)
})

test('what comes from outside cannot steer the terminal', () => {
  const text = drawScreen(scene, 160, 40).map(plain).join('')
  expect(text).not.toContain('\u001b')
  expect(text).toContain('two·[2J⏎three')
})

test('nor do names, addresses and what is being typed', () => {
  const hostile = 'x\u001b[2J\u202ey'
  const modems = scene.modems.map((modem) => ({ ...modem, name: hostile, where: hostile }))
  const named = {
    ...scene,
    modems,
    status: hostile,
    network: { ...scene.network, operator: { ...operator, name: hostile } },
  }
  const text = drawScreen(named, 300, 40).map(plain).join('')
  expect(text).not.toMatch(/\p{Cc}|\p{Cf}/u)
  expect(text.match(/x·\[2J·y/g)).toHaveLength(5)
})

test('wide characters count twice', () => {
  expect(cut('👋👋👋', 5)).toBe('👋👋')
  expect(cut('日本語', 4)).toBe('日本')
  expect(cut('Grüße', 4)).toBe('Grüß')
})

test('signal bars go from none to four, and dots for unknown', () => {
  expect([-113, -51, undefined].map(signalBars)).toEqual(['▯▯▯▯', '▮▮▮▮', '····'])
})

test('a failed step says why', () => {
  expect(eventText({ kind: 'step', step: 'call', problem: 'no modem' })).toBe('step call failed: no modem')
})
