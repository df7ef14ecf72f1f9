import { decodeAddress, decodeServiceCentreAddress, encodeAddress, textFromAddress } from '../src/fields/address.ts'
import { decodeCellBroadcastDataCodingScheme } from '../src/fields/cell-broadcast-data-coding-scheme.ts'
import { decodeDataCodingScheme } from '../src/fields/data-coding-scheme.ts'
import { decodeProtocolIdentifier } from '../src/fields/protocol-identifier.ts'
import { statusFromOctet } from '../src/fields/status.ts'
import { decodeTimeStamp, encodeTimeStamp } from '../src/fields/time-stamp.ts'
import { encodeUserDataField, textOfUserData } from '../src/fields/user-data.ts'
import { concatenationOf, decodeUserDataHeader, portsOf } from '../src/fields/user-data-header.ts'
import { hexFromOctets, OctetReader, octetsFromHex } from '../src/octets.ts'
import { PduDecodeError, PduEncodeError } from '../src/pdu-error.ts'
import { emptyReassembly, nextReassembly, type ReassemblyState } from '../src/reassembly/reassemble.ts'
import { type SegmentOptions, segment } from '../src/segmentation/segment.ts'
import { textFromSeptets } from '../src/text/gsm7-alphabet.ts'
import { unpackSeptets } from '../src/text/septets.ts'
import { textFromUcs2 } from '../src/text/ucs2.ts'
import { type CommandTpdu, decodeIncoming, decodeOutgoing, encodeForModem, type Tpdu } from '../src/tpdu/tpdu.ts'
import { decodeUssdString, packUssd } from '../src/ussd.ts'
import { decodeMmsNotification, type MmsNotification } from '../src/wap/mms-notification.ts'
import { encodeMmsNotification } from '../src/wap/mms-notification-encode.ts'
import { decodeWspPush } from '../src/wap/wsp-push.ts'
import { FuzzRandom } from './random.ts'
import { randomOctets } from './random-octets.ts'
import { randomSegmentOptions, randomText } from './random-text.ts'

/**
 * Gives every decoder the same inputs. Within five milliseconds, a decoder must return or throw a PduDecodeError, and
 * the encoder of a decoded value must return or throw a PduEncodeError. Segmentation may take longer. Any other
 * behaviour is a failure.
 */
export function fuzzDecoders(options: DecoderFuzzOptions): FuzzResult {
  const { stackTraceLimit } = Error
  // Full stack traces of expected errors would take a fifth of the time. Two frames are sufficient to locate other
  // errors.
  Error.stackTraceLimit = 2
  try {
    return fuzz(options)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

function fuzz(options: DecoderFuzzOptions): FuzzResult {
  const random = new FuzzRandom(options.seed)
  const result: FuzzResult = { inputs: 0, failures: [], slowest: { decoder: 'none', ms: 0, input: '' } }
  let reassembly = emptyReassembly
  for (; result.inputs < options.count; result.inputs++) {
    const input: FuzzInput = {
      octets: randomOctets(random),
      octet: random.below(256),
      text: randomText(random),
      options: randomSegmentOptions(random),
      reassembly,
    }
    for (const [decoder, run] of decoders) attempt(decoder, run, input, result, options.timed)
    reassembly = random.once(1000) ? emptyReassembly : reassembled(input)
    if (result.failures.length >= mostFailures) return result
    if ((result.inputs + 1) % progressEvery === 0) options.onProgress?.(result.inputs + 1)
  }
  return result
}

export interface DecoderFuzzOptions {
  readonly count: number
  readonly seed: number
  /** True if a slow input is a failure. */
  readonly timed: boolean
  readonly onProgress?: (inputs: number) => void
}

export interface FuzzResult {
  inputs: number
  readonly failures: FuzzFailure[]
  slowest: { readonly decoder: string; readonly ms: number; readonly input: string }
}

export interface FuzzFailure {
  readonly decoder: string
  readonly input: string
  readonly problem: string
}

interface FuzzInput {
  readonly octets: Uint8Array
  /** The second argument, for decoders that also take a coding scheme, a language or a width. */
  readonly octet: number
  readonly text: string
  readonly options: SegmentOptions
  readonly reassembly: ReassemblyState
}

/** The time limit for one message. */
const longestMs = 5
/**
 * The time limit for each thousand units of text (most messages have fewer). Segmentation may try every pair of allowed
 * tables.
 */
const longestSegmentingMs = 10
const mostFailures = 20
const progressEvery = 100_000

type Decoder = (input: FuzzInput) => void

const decoders: readonly (readonly [string, Decoder])[] = [
  ['incoming', ({ octets }) => roundTrip(octets, decodeIncoming)],
  ['outgoing', ({ octets }) => roundTrip(octets, decodeOutgoing)],
  ['address', ({ octets }) => readAddress(octets)],
  ['service centre address', ({ octets }) => void decodeServiceCentreAddress(new OctetReader(octets))],
  ['time stamp', ({ octets }) => void encodeTimeStamp(decodeTimeStamp(new OctetReader(octets), 'TP-SCTS'))],
  ['user data header', ({ octets }) => readHeader(octets)],
  ['septets', ({ octets, octet }) => readSeptets(octets, octet)],
  ['UCS-2', ({ octets }) => expectStorable(textFromUcs2(octets))],
  ['single octets', ({ octet }) => readOctet(octet)],
  ['USSD', ({ octets, octet, text }) => readUssd(octets, octet, text)],
  ['WSP push', ({ octets }) => readPush(octets)],
  ['MMS notification', ({ octets }) => void readNotification(octets, 0)],
  ['hexadecimal', ({ octets, text }) => readHex(octets, text)],
  ['segments', ({ text, options }) => readSegments(text, options)],
  ['reassembly', (input) => void reassembled(input)],
]

function attempt(decoder: string, run: Decoder, input: FuzzInput, result: FuzzResult, timed: boolean): void {
  const startMs = performance.now()
  const problem = problemOf(run, input)
  const ms = performance.now() - startMs
  if (problem !== undefined) result.failures.push({ decoder, input: shown(input), problem })
  if (timed && ms > result.slowest.ms) {
    // An input fails only if it is slow every time, because a busy machine may interrupt the program, and code is slow
    // before it is compiled.
    const againMs = timeAgainMs(run, input, allowedMs(decoder, input))
    if (againMs > result.slowest.ms) result.slowest = { decoder, ms: againMs, input: shown(input) }
    if (againMs > allowedMs(decoder, input)) {
      result.failures.push({ decoder, input: shown(input), problem: `took ${againMs.toFixed(1)} ms` })
    }
  }
}

function problemOf(run: Decoder, input: FuzzInput): string | undefined {
  try {
    run(input)
    return undefined
  } catch (error) {
    if (error instanceof PduDecodeError || error instanceof PduEncodeError) return undefined
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

function allowedMs(decoder: string, { text }: FuzzInput): number {
  return decoder === 'segments' ? longestSegmentingMs * Math.max(1, Math.ceil(text.length / 1000)) : longestMs
}

/**
 * Returns the median of five runs. If the median is too long, repeats the five runs up to twice; returns the lowest
 * median.
 */
function timeAgainMs(run: Decoder, input: FuzzInput, allowed: number): number {
  let leastMs = medianOfFiveMs(run, input)
  for (let round = 0; round < 2 && leastMs > allowed; round++) leastMs = Math.min(leastMs, medianOfFiveMs(run, input))
  return leastMs
}

/** Returns the median processor time of five runs. Other programs on the machine do not affect processor time. */
function medianOfFiveMs(run: Decoder, input: FuzzInput): number {
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage()
    problemOf(run, input)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1000
  })
  return times.sort((one, other) => one - other)[2] ?? 0
}

function shown({ octets, octet, text, options }: FuzzInput): string {
  return JSON.stringify({ octets: hexFromOctets(octets), octet, text, options })
}

/** Decoding a message, encoding it and decoding it again must give the first decoded value again. */
function roundTrip(octets: Uint8Array, decode: typeof decodeIncoming | typeof decodeOutgoing): void {
  const { serviceCentre, tpdu } = decode(octets)
  if (tpdu.kind === 'command') return
  read(tpdu)
  // Skips a message with a wrong length, because its decoded value cannot be encoded.
  if (tpdu.userData?.header?.broken === true) return
  const written = encodeForModem(tpdu, serviceCentre).octets
  const again = decode(written)
  const writtenAgain =
    again.tpdu.kind === 'command' ? again.tpdu.octets : encodeForModem(again.tpdu, again.serviceCentre).octets
  if (hexFromOctets(written) !== hexFromOctets(writtenAgain)) {
    throw new Error(
      `encoding the decoded message, then decoding and encoding it again gives other octets: first ${hexFromOctets(written)}, then ${hexFromOctets(writtenAgain)}`,
    )
  }
}

function read(tpdu: Exclude<Tpdu | CommandTpdu, CommandTpdu>): void {
  if (tpdu.userData === undefined) return
  const text = textOfUserData(tpdu.userData)
  if (text !== undefined) expectStorable(text)
}

function readAddress(octets: Uint8Array): void {
  const address = decodeAddress(new OctetReader(octets), 'TP-OA')
  expectStorable(textFromAddress(address))
  encodeAddress(address)
}

function readHeader(octets: Uint8Array): void {
  const header = decodeUserDataHeader(octets)
  concatenationOf(header)
  portsOf(header)
}

function readSeptets(octets: Uint8Array, octet: number): void {
  const septets = unpackSeptets(octets, octets.length + (octet >> 1), octet % 7)
  expectStorable(textFromSeptets(septets, { locking: octet >> 4, single: octet & 0xf }))
}

function readOctet(octet: number): void {
  decodeDataCodingScheme(octet)
  decodeCellBroadcastDataCodingScheme(octet)
  decodeProtocolIdentifier(octet)
  statusFromOctet(octet)
}

function readUssd(octets: Uint8Array, octet: number, text: string): void {
  const decoded = decodeUssdString(octets, octet)
  if (decoded !== undefined) expectStorable(decoded)
  packUssd(text)
}

function readPush(octets: Uint8Array): void {
  const push = decodeWspPush(octets)
  expectStorable(String(push.contentType))
  encodeMmsNotification(readNotification(octets, push.bodyOffset))
}

function readNotification(octets: Uint8Array, start: number): MmsNotification {
  const notification = decodeMmsNotification(octets, start)
  for (const value of Object.values(notification)) if (typeof value === 'string') expectStorable(value)
  return notification
}

function readHex(octets: Uint8Array, text: string): void {
  const hex = hexFromOctets(octets)
  if (hexFromOctets(octetsFromHex(hex.toLowerCase())) !== hex)
    throw new Error('the decoded octets differ from the original')
  octetsFromHex(text)
}

function readSegments(text: string, options: SegmentOptions): void {
  const segmentation = segment(text, options)
  expectStorable(segmentation.text + segmentation.forcedUcs2By.join(''))
  const joined = segmentation.parts.map((part) => {
    encodeUserDataField(part, segmentation.dataCodingScheme)
    return textOfUserData(part) ?? ''
  })
  if (joined.join('') !== segmentation.text) throw new Error('the joined parts differ from the text')
}

function reassembled({ octets, octet, reassembly }: FuzzInput): ReassemblyState {
  const tpdu = incomingOf(octets)
  const concatenation = tpdu?.kind === 'deliver' ? concatenationOf(tpdu.userData.header) : undefined
  if (tpdu?.kind !== 'deliver' || concatenation === undefined) return reassembly
  const { originator: sender, userData, dataCodingScheme, protocolIdentifier, serviceCentreTimeStamp } = tpdu
  const received = { sender, userData, dataCodingScheme, protocolIdentifier, serviceCentreTimeStamp, concatenation }
  const part = {
    kind: 'part-arrived',
    partId: hexFromOctets(octets),
    sim: `${octet & 1}`,
    atMs: octet * 60_000,
  } as const
  return nextReassembly(reassembly, { ...part, ...received }).state
}

function incomingOf(octets: Uint8Array): Tpdu | undefined {
  try {
    return decodeIncoming(octets).tpdu
  } catch (error) {
    if (error instanceof PduDecodeError) return undefined
    throw error
  }
}

/** Checks that PostgreSQL accepts the text, because a text that PostgreSQL refuses would block the whole queue. */
function expectStorable(text: string): void {
  if (!text.isWellFormed()) throw new Error('half a surrogate pair in a text')
  if (text.includes('\0')) throw new Error('U+0000 in a text')
}
