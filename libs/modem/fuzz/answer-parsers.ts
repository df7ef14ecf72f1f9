import { readFunctionality } from '../src/commands/functionality.ts'
import { numberQuery, readFirmware, readInformation, readManufacturer, readModel } from '../src/commands/identity.ts'
import {
  indications,
  offeredMessageIndications,
  readMessageIndications,
} from '../src/commands/messages/message-indications.ts'
import { readMessageFormat, readMessageService } from '../src/commands/messages/message-settings.ts'
import { readMemoryUsage, readOfferedMemories } from '../src/commands/messages/message-storage.ts'
import { readServiceCentre } from '../src/commands/messages/service-centre.ts'
import { listStoredMessages, readMessage } from '../src/commands/messages/stored-messages.ts'
import { networkTimeIn, readClock } from '../src/commands/network/network-time.ts'
import { readOperator } from '../src/commands/network/operator.ts'
import { readRegistration, registrationDomains } from '../src/commands/network/registration.ts'
import { readExtendedSignal, readSignal } from '../src/commands/network/signal.ts'
import type { Query } from '../src/commands/query.ts'
import { iccidQuery, readImsi, readOwnNumbers } from '../src/commands/sim/sim-identity.ts'
import { readPinLock, readPinState } from '../src/commands/sim/sim-pin.ts'
import { sendUssd, ussdAnswerIn } from '../src/commands/ussd/ussd.ts'
import type { UssdEncoding } from '../src/commands/ussd/ussd-text.ts'
import { readCommandError } from '../src/dialogue/errors/command-error.ts'
import { readFinalResult, readNumericResult } from '../src/dialogue/final-result.ts'
import { catalogue } from '../src/profiles/catalogue.ts'
import { readIncoming } from '../src/receive/incoming-message.ts'
import { readReference } from '../src/send/submission.ts'
import { parseParameters } from '../src/wire/at-parameters.ts'
import { type ResponseLine, readResponseLine } from '../src/wire/response-line.ts'
import { maskLine } from '../src/wire/trace-masking.ts'
import { genericForms, UnsolicitedTable } from '../src/wire/unsolicited.ts'

/** A function that reads answers. The function may find no value in an answer, but must not throw. */
export interface AnswerParser {
  readonly name: string
  /** The parser runs only on lines with these prefixes, or on every line if the list is empty. */
  readonly prefixes: readonly string[]
  readonly run: (lines: readonly ResponseLine[]) => void
}

const queries: readonly Query<unknown>[] = [
  ...[readFunctionality, readManufacturer, readModel, readFirmware, numberQuery('AT+CGSN'), readInformation],
  ...[readMessageIndications, readMessageFormat, readMessageService, readMemoryUsage],
  ...[readOfferedMemories, readClock, readOperator],
  ...catalogue.flatMap(({ pinCounters }) => pinCounters),
  ...registrationDomains.map(readRegistration),
  ...[readPinLock, readServiceCentre, readSignal, readExtendedSignal],
  ...[iccidQuery('AT+CCID'), readImsi, readOwnNumbers, readPinState, listStoredMessages],
  ...[readMessage(1), ...ussdRequest('plain'), ...ussdRequest('packed-hex'), ...ussdRequest('ucs2-hex')],
]

const encodings: readonly UssdEncoding[] = ['plain', 'packed-hex', 'ucs2-hex']
const unsolicited = new UnsolicitedTable(genericForms)

const answerParsers: readonly AnswerParser[] = [
  ...queries.map((query) => ({
    name: query.text,
    prefixes: query.prefixes ?? [],
    run: (lines: readonly ResponseLine[]) => void query.read(lines),
  })),
  ...catalogue.flatMap(({ name, toolkit }) =>
    toolkit.map(({ code, responses }) => ({
      name: `${code} (${name})`,
      prefixes: [code],
      run: (lines: readonly ResponseLine[]) => {
        for (const { body } of lines) responses(body)
      },
    })),
  ),
  {
    name: offeredMessageIndications.text,
    prefixes: ['+CNMI'],
    run: (lines) => {
      const offers = offeredMessageIndications.read(lines)
      offers?.(indications(2, 1, 1))
    },
  },
  ...encodings.map((encoding) => ({
    name: `USSD ${encoding}`,
    prefixes: ['+CUSD'],
    run: each((line) => ussdAnswerIn(line, encoding)),
  })),
  { name: 'network time', prefixes: ['+CTZV', '+CTZE', '*PSUTTZ', '+CCLK'], run: each(networkTimeIn) },
  { name: 'reference', prefixes: ['+CMGS', '+CMGW'], run: each(({ body }) => readReference(body)) },
  { name: 'error', prefixes: ['+CMS', '+CME'], run: each(({ text }) => readCommandError(text)) },
  {
    name: 'stored message',
    prefixes: ['+CMGL', '+CMGR'],
    run: each(({ payload }) => readIncoming({ kind: 'stored', memory: 'SM', index: 1 }, payload ?? '')),
  },
  {
    name: 'delivered message',
    prefixes: ['+CMT', '+CDS'],
    run: each(({ payload }) => readIncoming({ kind: 'direct', acknowledge: false }, payload ?? '')),
  },
  { name: 'parameters', prefixes: [], run: each(({ body }) => parseParameters(body)) },
  { name: 'final result', prefixes: [], run: each(({ text }) => readFinalResult(text) ?? readNumericResult(text)) },
  {
    name: 'unsolicited code',
    prefixes: [],
    run: each((line) => unsolicited.find(line)?.isUnsolicited?.(parseParameters(line.body))),
  },
  { name: 'masking', prefixes: [], run: each(({ text }) => maskLine(text, 'ordinary', false)) },
]

const everyLine = answerParsers.filter(({ prefixes }) => prefixes.length === 0)
const byPrefix = new Map<string, AnswerParser[]>()
for (const parser of answerParsers) {
  for (const prefix of parser.prefixes) byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), parser])
}

/** Returns the parsers for this line, and the line in the form that they read. */
export function parsersOf(
  text: string,
  payload: string | undefined,
): { line: ResponseLine; parsers: readonly AnswerParser[] } {
  const line = { ...readResponseLine(text), payload }
  return { line, parsers: [...everyLine, ...(byPrefix.get(line.prefix) ?? [])] }
}

function each(read: (line: ResponseLine) => unknown): AnswerParser['run'] {
  return (lines) => {
    for (const line of lines) read(line)
  }
}

function ussdRequest(encoding: UssdEncoding): readonly Query<unknown>[] {
  const request = sendUssd('*100#', encoding)
  return request === undefined ? [] : [request]
}
