import { textFromAddress } from '@smsgw/sms/fields/address'
import { textOfUserData } from '@smsgw/sms/fields/user-data'
import { octetsFromHex } from '@smsgw/sms/octets'
import { decodeIncoming, decodeOutgoing } from '@smsgw/sms/tpdu/tpdu'
import { readFunctionality } from '../src/commands/functionality.ts'
import { numberQuery, readFirmware, readInformation, readManufacturer, readModel } from '../src/commands/identity.ts'
import { offeredMessageIndications, readMessageIndications } from '../src/commands/messages/message-indications.ts'
import { readMessageFormat, readMessageService } from '../src/commands/messages/message-settings.ts'
import { readMemoryUsage, readOfferedMemories } from '../src/commands/messages/message-storage.ts'
import { readServiceCentre } from '../src/commands/messages/service-centre.ts'
import { listStoredMessages, readMessage, type StoredPdu } from '../src/commands/messages/stored-messages.ts'
import { readClock } from '../src/commands/network/network-time.ts'
import { readOperator } from '../src/commands/network/operator.ts'
import { registrationIn } from '../src/commands/network/registration.ts'
import { readSignal } from '../src/commands/network/signal.ts'
import { type Query, type QueryAnswer, runQuery } from '../src/commands/query.ts'
import { standardPinCounter } from '../src/commands/sim/pin-counter.ts'
import { readImsi, readOwnNumbers } from '../src/commands/sim/sim-identity.ts'
import { readPinState } from '../src/commands/sim/sim-pin.ts'
import { ussdAnswerIn } from '../src/commands/ussd/ussd.ts'
import { Dialogue } from '../src/dialogue/dialogue.ts'
import { readIncoming } from '../src/receive/incoming-message.ts'
import { ManualClock } from '../src/testing/manual-clock.ts'
import { ScriptedModem } from '../src/testing/scripted-modem.ts'
import { readResponseLine } from '../src/wire/response-line.ts'
import type { EncodedMessage, Reply } from './corpora.ts'

/** True if the driver reads a value in the reply, or its refusal. */
export async function isReplyUnderstood({ text: raw, command }: Reply): Promise<boolean> {
  // Removes the echo, because the driver recognises only the echo of its own command.
  const text = raw
    .replaceAll(/\r?\n|\r/g, '\r\n')
    .replace(/^AT\S*\r\n/, '')
    .trim()
  const lines = text.split('\r\n').map(readResponseLine)
  const own = queriesByCommand.get(command ?? '')
  if (own !== undefined) return isAnswered(await answerTo(own, text))
  const code = lines.find(({ prefix }) => queryFor(prefix, '') !== undefined || isUnsolicitedCode(prefix))
  if (code === undefined || (command !== undefined && !readsFrom(command, code.prefix))) {
    // The driver does not write this command, so it is sufficient that the reply has an end.
    return isEnded(await answerTo({ ...anyReply, text: command ?? 'AT' }, text))
  }
  if (/^\+C(G|E|5G)?REG$/.test(code.prefix)) return lines.some((line) => registrationIn(line) !== undefined)
  if (code.prefix === '+CUSD') {
    const body = text.slice(text.indexOf(':') + 1).replace(/\s+OK$/, '')
    return ussdAnswerIn({ ...code, body: body.trim() }, 'plain') !== undefined
  }
  const query = queryFor(code.prefix, code.body)
  return query === undefined || isAnswered(await answerTo(query, text))
}

/** True if the codec reads the number, the service centre and the text of the message. */
export function isMessageUnderstood({ pdu, number, serviceCentre, text }: EncodedMessage): boolean {
  const octets = octetsFromHex(pdu)
  const read = isSubmit(octets) ? decodeOutgoing(octets) : decodeIncoming(octets)
  const { tpdu } = read
  if (tpdu.kind !== 'submit' && tpdu.kind !== 'deliver') return false
  const found = tpdu.userData === undefined ? '' : (textOfUserData(tpdu.userData) ?? '')
  return (
    textFromAddress(tpdu.kind === 'submit' ? tpdu.destination : tpdu.originator) === number &&
    (read.serviceCentre === undefined ? '' : textFromAddress(read.serviceCentre)) === serviceCentre &&
    isTextOf(found, text, tpdu.userData?.alphabet)
  )
}

/**
 * The tests of gammu encode only as much of a text as fits in one message. If a letter is not in the GSM alphabet, they
 * write it without its accent.
 */
function isTextOf(found: string, text: string, alphabet: string | undefined): boolean {
  const capacity = alphabet === 'gsm7' ? 160 : 70
  if (found.length !== Math.min(text.length, capacity)) return false
  return [...found].every((letter, at) => letter === text[at] || letter === text[at]?.normalize('NFD')[0])
}

/** TP-MTI is in the first octet after the service centre. 23.040 §9.2.3.1 */
const isSubmit = (octets: Uint8Array): boolean => ((octets[1 + (octets[0] ?? 0)] ?? 0) & 3) === 1

/** Commands of the driver whose reply is free text or has a special form. */
const queriesByCommand: ReadonlyMap<string, Query<unknown>> = new Map(
  [
    ...[readManufacturer, readModel, readFirmware, readInformation, readImsi, numberQuery('AT+CGSN')],
    ...[readFunctionality, readMessageFormat, readMessageService, readPinState, standardPinCounter],
  ].map((query) => [query.text, query]),
)

const anyReply: Query<true> = { text: 'AT', timeoutMs: 5000, bare: () => true, read: () => true }

const isUnsolicitedCode = (prefix: string): boolean => /^\+C((G|E|5G)?REG|USD)$/.test(prefix)

/** True if the command asks for the value that the code contains: `AT+CREG?` for `+CREG`, but not `AT+CREG=?`. */
function readsFrom(command: string, prefix: string): boolean {
  const rest = command.startsWith(`AT${prefix}`) ? command.slice(2 + prefix.length) : undefined
  if (rest === '=?') return prefix === '+CNMI' || prefix === '+CPMS'
  return rest !== undefined && (rest === '' || rest === '?' || prefix === '+CPMS' || /^=\d/.test(rest))
}

function queryFor(prefix: string, body: string): Query<unknown> | undefined {
  switch (prefix) {
    case '+CNMI':
      return body.startsWith('(') ? offeredMessageIndications : readMessageIndications
    case '+CPMS':
      return /\d/.test(body) ? readMemoryUsage : readOfferedMemories
    case '+CSCA':
      return readServiceCentre
    case '+CMGL':
      return readable(listStoredMessages, (messages) => messages)
    case '+CMGR':
      return readable(readMessage(1), (message) => (message === 'empty' ? [] : [message]))
    case '+COPS':
      // The driver never searches for networks, so replies to a search are skipped.
      return body.startsWith('(') ? undefined : readOperator
    case '+CSQ':
      return readSignal
    case '+CNUM':
      return readOwnNumbers
    case '+CCLK':
      return readClock
    default:
      return undefined
  }
}

/** Accepts an answer only if it contains messages and each message can be read. */
function readable<T>(query: Query<T>, messagesIn: (value: T) => readonly StoredPdu[]): Query<true> {
  return {
    ...query,
    read: (lines) => {
      const value = query.read(lines)
      const messages = value === undefined ? [] : messagesIn(value)
      const areRead = messages.every(({ index, pdu, stat }) => {
        const incoming = readIncoming({ kind: 'stored', memory: 'SM', index }, pdu, stat)
        // Some modems list a sent message (TP-MTI 01) as a received one. The driver understands this, and does not
        // decode it.
        return incoming?.kind !== 'unreadable' || incoming.why.startsWith('TP-MTI 01')
      })
      return messages.length > 0 && areRead ? true : undefined
    },
  }
}

async function answerTo<T>(query: Query<T>, text: string): Promise<QueryAnswer<T>> {
  const clock = new ManualClock()
  const modem = new ScriptedModem()
  const dialogue = new Dialogue({ port: modem, clock, onEvent: () => undefined })
  const isEnded = finalResult.test(text) || query.finalResultOptional === true
  modem.reply = (line) => (line === query.text ? `\r\n${text}\r\n${isEnded ? '' : '\r\nOK\r\n'}` : undefined)
  const answer = runQuery(dialogue, query)
  await clock.advance(60_000)
  return await answer
}

const finalResult = /(^|\r\n)(OK|ERROR|\+CM[ES] ERROR: .*|COMMAND NOT SUPPORT|NO CARRIER|BUSY|CONNECT)(\r\n|$)/

/** A refusal is understood too, but it has no value. */
const isAnswered = ({ kind }: QueryAnswer<unknown>): boolean => kind === 'value' || kind === 'refused'

const isEnded = ({ kind }: QueryAnswer<unknown>): boolean =>
  kind === 'value' || kind === 'unreadable' || kind === 'refused'
