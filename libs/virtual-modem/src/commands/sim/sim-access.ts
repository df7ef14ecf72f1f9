import { hexFromOctets, octetsFromHex } from '@smsgw/sms/octets'
import type { MobileEquipment } from '../../equipment/mobile-equipment.ts'
import { decoded } from '../../messaging/pdu.ts'
import { type ElementaryFile, elementaryFile } from '../../sim/elementary-files.ts'
import type { CommandParameters } from '../../wire/parameters.ts'
import { answer, type CommandTable, cmeError, type Finished, ok } from '../command.ts'

/** CRSM, and CSIM for reading files and PIN counters: 27.007 §8.17, §8.18. */
export const simAccessCommands: CommandTable = {
  '+CRSM': { needs: 'sim', test: () => ok, set: restricted },
  '+CSIM': { needs: 'sim', test: () => ok, set: generic },
}

// 51.011 §9.2
const readBinary = 176
const readRecord = 178
const getResponse = 192
const status = 242

function restricted(modem: MobileEquipment, parameters: CommandParameters): Finished {
  const command = parameters.number(0)
  if (command === status) return answer('+CRSM: 144,0')
  const file = modem.sim && elementaryFile(modem.sim, parameters.number(1))
  const [p1, p2, p3] = [parameters.number(2, 0), parameters.number(3, 0), parameters.number(4, 0)]
  if (![readBinary, readRecord, getResponse].includes(command)) return cmeError(3)
  if (file === undefined) return answer(noSuchFile)
  if (needsPin(parameters.number(1)) && modem.pinState !== 'READY') return answer(notAllowed)
  const octets = command === getResponse ? response(file, parameters.number(1)) : content(command, file, p1, p2)
  if (octets === undefined) return answer(outOfRange)
  if (p3 > octets.length) return answer(`+CRSM: 103,${octets.length & 0xff}`)
  return answer(`+CRSM: 144,0,"${hexFromOctets(p3 === 0 ? octets : octets.subarray(0, p3))}"`)
}

const noSuchFile = '+CRSM: 148,4'
const outOfRange = '+CRSM: 148,2'
const notAllowed = '+CRSM: 152,4'

/** ICCID and languages can be read without a PIN. */
function needsPin(identifier: number): boolean {
  return identifier !== 0x2fe2 && identifier !== 0x6f05
}

function content(command: number, file: ElementaryFile, p1: number, p2: number): Uint8Array | undefined {
  if (command === readRecord) return file.linear ? file.records[p1 - 1] : undefined
  const octets = file.linear ? undefined : file.records[0]
  const offset = (p1 << 8) | p2
  return octets && offset <= octets.length ? octets.subarray(offset) : undefined
}

/** 51.011 §9.2.1: the answer to the selection of an EF. */
function response({ records, linear }: ElementaryFile, identifier: number): Uint8Array {
  const recordLength = records[0]?.length ?? 0
  const size = recordLength * records.length
  return Uint8Array.of(
    0,
    0,
    size >> 8,
    size & 0xff,
    identifier >> 8,
    identifier & 0xff,
    0x04,
    0,
    0x11,
    0xff,
    0x44,
    0x01,
    0x02,
    linear ? 0x01 : 0x00,
    linear ? recordLength : 0,
  )
}

function generic(modem: MobileEquipment, parameters: CommandParameters): Finished {
  const text = parameters.text(1) ?? ''
  const command = decoded(() => octetsFromHex(text))
  if (command === undefined || parameters.number(0) !== text.length || command.length < 4) return cmeError(50)
  const reply = transact(modem, command)
  return answer(`+CSIM: ${reply.length},"${reply}"`)
}

function transact(modem: MobileEquipment, command: Uint8Array): string {
  const [, instruction, p1 = 0, p2 = 0, length = 0] = command
  const { remembered } = modem.settings
  const selected = Number(remembered.get('+CSIM/selected') ?? Number.NaN)
  const file = modem.sim && elementaryFile(modem.sim, selected)
  switch (instruction) {
    case 0xa4: {
      const identifier = ((command[5] ?? 0) << 8) | (command[6] ?? 0)
      const isFolder = [0x3f00, 0x7f10, 0x7f20, 0x7fff].includes(identifier)
      if (!isFolder && modem.sim && elementaryFile(modem.sim, identifier) === undefined) return '6A82'
      remembered.set('+CSIM/selected', String(identifier))
      return '9000'
    }
    case 0x20:
      return command.length === 5 && length === 0 ? attempts(modem, p2) : '6D00'
    case readBinary:
    case readRecord: {
      const octets = file && content(instruction, file, p1, p2)
      if (octets === undefined) return '6A82'
      if (needsPin(selected) && modem.pinState !== 'READY') return '6982'
      return `${hexFromOctets(length === 0 ? octets : octets.subarray(0, length))}9000`
    }
    default:
      return '6D00'
  }
}

/** VERIFY without a PIN returns the number of attempts left (31.101 §11.1.9). */
function attempts({ sim }: MobileEquipment, reference: number): string {
  const guard = sim?.guard
  if (guard === undefined) return '6A88'
  const left = reference === 0x01 ? guard.pin.attemptsLeft : reference === 0x81 ? guard.pin2.attemptsLeft : undefined
  if (left === undefined) return '6A88'
  return left === 0 ? '6983' : `63C${left}`
}
