import { expect, test } from 'vitest'
import { readRecording } from './recording.ts'
import { ReplayModem } from './replay-modem.ts'

function replay(dialogue: string) {
  let said = ''
  const recording = readRecording(`# smsgw recording 1\n# Composed from nothing.\n= start\n${dialogue}`)
  const modem = new ReplayModem(recording, (bytes) => {
    said += String.fromCharCode(...bytes)
  })
  return {
    modem,
    type: (text: string) => {
      said = ''
      modem.receive(Uint8Array.from(text, (char) => char.charCodeAt(0)))
      return said
    },
    opening: () => {
      modem.open()
      return said
    },
  }
}

test('sends the answers to a command in order, then repeats the last answer without the unsolicited lines after it', () => {
  const { type } = replay('> AT+CPIN?\n< +CME ERROR: 14\n> AT+CPIN?\n< +CPIN: READY\n< OK\n< +CMTI: "SM",1\n')
  expect(type('AT+CPIN?\r')).toBe('\r\n+CME ERROR: 14\r\n')
  expect(type('at+cpin?\r')).toBe('\r\n+CPIN: READY\r\n\r\nOK\r\n\r\n+CMTI: "SM",1\r\n')
  expect(type('AT+CPIN?\r')).toBe('\r\n+CPIN: READY\r\n\r\nOK\r\n')
})

test('accepts a PDU of any length, also in pieces', () => {
  const { type } = replay('> AT+CMGS=19\n< >\n> 0011^Z\n< +CMGS: 17\n< OK\n')
  expect(type('AT+CMGS=42\r')).toBe('\r\n> ')
  expect(type('00')).toBe('')
  expect(type('2233\x1a')).toContain('+CMGS: 17')
})

test('first sends the lines that the modem sent before the first command, and refuses unknown commands', () => {
  const { opening, type } = replay('< RDY\n> AT+CSQ\n< +CSQ: 20,99\n< OK\n')
  expect(opening()).toBe('\r\nRDY\r\n')
  expect(type('AT\r')).toBe('\r\nOK\r\n')
  expect(type('AT+CFOO\r')).toBe('\r\nERROR\r\n')
  expect(type('\x1b\r\n')).toBe('')
})

test('drops a line that never ends', () => {
  const { type } = replay('> AT+CSQ\n< OK\n')
  expect(type('A'.repeat(100_000))).toBe('')
  expect(type('\x1bAT+CSQ\r')).toBe('\r\nOK\r\n')
})
