import { anyCharacter } from '@smsgw/sms/testing/any-character'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { catalogue } from '../profiles/catalogue.ts'
import { readIncoming } from '../receive/incoming-message.ts'
import { readResponseLine } from '../wire/response-line.ts'
import { selectCharacterSet, textInCharacterSet } from './character-set.ts'
import { readFunctionality } from './functionality.ts'
import { numberQuery, readFirmware, readInformation } from './identity.ts'
import { indications, offeredMessageIndications, readMessageIndications } from './messages/message-indications.ts'
import { readMessageFormat, readMessageService } from './messages/message-settings.ts'
import { readMemoryUsage, readOfferedMemories } from './messages/message-storage.ts'
import { readServiceCentre } from './messages/service-centre.ts'
import { listStoredMessages, readMessage } from './messages/stored-messages.ts'
import { networkTimeIn, readClock } from './network/network-time.ts'
import { readOperator } from './network/operator.ts'
import { readRegistration, registrationIn } from './network/registration.ts'
import { readExtendedSignal, readSignal } from './network/signal.ts'
import type { Query } from './query.ts'
import { iccidQuery, readImsi, readOwnNumbers } from './sim/sim-identity.ts'
import { readPinLock, readPinState } from './sim/sim-pin.ts'
import { sendUssd, ussdAnswerIn } from './ussd/ussd.ts'
import type { UssdEncoding } from './ussd/ussd-text.ts'

const queries: readonly Query<unknown>[] = [
  selectCharacterSet('GSM'),
  ...[readFunctionality, readFirmware, numberQuery('AT+CGSN'), readInformation, offeredMessageIndications],
  ...[readMessageIndications, readMessageFormat, readMessageService, readMemoryUsage],
  ...[readOfferedMemories, readClock, readOperator],
  ...catalogue.flatMap(({ pinCounters }) => pinCounters),
  ...[readPinLock, readRegistration('+CREG'), readServiceCentre, readExtendedSignal, readSignal],
  ...[iccidQuery('AT+CCID'), readImsi, readOwnNumbers],
  ...[readPinState, listStoredMessages, readMessage(1), ...ussdRequest('plain')],
]

// Builds almost valid answers from fragments of real answers.
const fragment = fc.constantFrom(
  ',',
  '"',
  '(',
  ')',
  ':',
  ' ',
  '-',
  '1',
  '0',
  '255',
  'SM',
  'READY',
  '0F',
  '4A',
  '+',
  '\x80',
  '99999999999999999999',
)
const body = fc.oneof(
  fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ maxLength: 60, unit: anyCharacter }),
)
const hexadecimal = fc.array(fc.constantFrom(...'0123456789ABCDEF'), { maxLength: 80 }).map((digits) => digits.join(''))

test('parsers do not throw on malformed answers', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...queries),
      fc.array(fc.tuple(body, fc.option(hexadecimal)), { maxLength: 3 }),
      (query, rows) => {
        const lines = rows.map(([text, payload]) => ({
          ...readResponseLine(`${query.prefixes?.[0] ?? ''}: ${text}`),
          payload: payload ?? undefined,
        }))
        const value = query.read(lines)
        if (query === offeredMessageIndications && typeof value === 'function') value(indications(2, 1, 1))
      },
    ),
    { numRuns: 20_000 },
  )
})

test('readers do not throw on malformed unsolicited codes', () => {
  const prefixes = ['+CUSD', '+CREG', '+CEREG', '^NWTIME', '*PSUTTZ', '+CTZV', '+CTZE']
  fc.assert(
    fc.property(fc.constantFrom(...prefixes), body, (prefix, text) => {
      const line = readResponseLine(`${prefix}: ${text}`)
      ussdAnswerIn(line, 'packed-hex')
      registrationIn(line)
      networkTimeIn(line)
      textInCharacterSet(text)
    }),
    { numRuns: 20_000 },
  )
})

test('reads every malformed PDU as a message, as a report or as unreadable, and never throws', () => {
  fc.assert(
    fc.property(hexadecimal, (digits) => {
      const incoming = readIncoming({ kind: 'direct', acknowledge: false }, digits)
      expect(incoming?.pdu).toBe(digits)
    }),
    { numRuns: 20_000 },
  )
})

function ussdRequest(encoding: UssdEncoding): readonly Query<unknown>[] {
  const request = sendUssd('*100#', encoding)
  return request === undefined ? [] : [request]
}
