import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { offeredMessageIndications, readMessageIndications } from '../src/commands/message-indications.ts'
import { readMemoryUsage, readOfferedMemories } from '../src/commands/message-storage.ts'
import { readClock } from '../src/commands/network-time.ts'
import { readOperator } from '../src/commands/operator.ts'
import { ask, type Query } from '../src/commands/query.ts'
import { registrationIn } from '../src/commands/registration.ts'
import { readServiceCentre } from '../src/commands/service-centre.ts'
import { readSignal } from '../src/commands/signal.ts'
import { readOwnNumbers } from '../src/commands/sim-identity.ts'
import { listMessages, readMessage, type StoredMessage } from '../src/commands/stored-messages.ts'
import { ussdAnswerIn } from '../src/commands/ussd.ts'
import { Dialogue } from '../src/dialogue/dialogue.ts'
import { readIncoming } from '../src/receive/incoming-message.ts'
import { ManualClock } from '../src/testing/manual-clock.ts'
import { ScriptedModem } from '../src/testing/scripted-modem.ts'
import { readResponseLine } from '../src/wire/response-line.ts'
import { decidedReplies } from './decided-replies.ts'

/**
 * Reads the replies of modems in the tests of gammu and ModemManager with the driver. The tests are read from unpacked
 * Debian source packages, and nothing is copied from them.
 *
 * node libs/modem/oracle/read-dialogues.ts --gammu folder --modemmanager folder [--optional]
 *
 * Exits with code 1 if a reply is not understood and `decided-replies.ts` contains no reason for it. Also exits with
 * code 1 without sources, unless `--optional` is given.
 */
const { values } = parseArgs({
  options: {
    gammu: { type: 'string' },
    modemmanager: { type: 'string' },
    optional: { type: 'boolean', default: false },
  },
})

const prefixes = /^\+(CREG|CGREG|CEREG|C5GREG|CNMI|CPMS|CSCA|CUSD|CMGL|CMGR|COPS|CSQ|CNUM|CCLK): ?./

interface Reply {
  /** The file of the dialogue, such as `at-sms/02.dump`, or the file and the number of the string literal. */
  readonly name: string
  readonly text: string
}

const corpora = [
  ...(values.gammu === undefined ? [] : [{ name: 'gammu', replies: gammuReplies(join(values.gammu, 'tests')) }]),
  ...(values.modemmanager === undefined
    ? []
    : [{ name: 'ModemManager', replies: modemManagerReplies(join(values.modemmanager, 'src')) }]),
]
if (corpora.length === 0) {
  print('No sources given, so nothing was read. Unpack them: apt-get source gammu modemmanager')
  process.exit(values.optional ? 0 : 1)
}

let unexplained = 0
for (const { name, replies } of corpora) {
  const counts = { understood: 0, decided: 0, 'not understood': 0 }
  for (const reply of replies) {
    const understood = await isUnderstood(reply.text)
    const reason = decidedReplies.find(({ pattern }) =>
      pattern.test(`${name} ${reply.name} ${reply.text.trim()}`),
    )?.reason
    const verdict = understood ? 'understood' : reason === undefined ? 'not understood' : 'decided'
    counts[verdict] += 1
    if (verdict === 'not understood')
      print(`NOT UNDERSTOOD  ${name} ${reply.name}: ${JSON.stringify(reply.text.slice(0, 120))}`)
    else if (verdict === 'decided') print(`decided  ${name} ${reply.name}: ${reason}`)
  }
  unexplained += counts['not understood']
  print(
    `${name}: ${replies.length} replies, ${Object.entries(counts)
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(', ')}`,
  )
}
process.exit(unexplained === 0 ? 0 : 1)

/** The replies to each kind of command that the driver writes. */
function gammuReplies(folder: string): readonly Reply[] {
  const kinds = ['at-creg', 'at-cnmi', 'at-cpms', 'at-cpms-sm', 'at-cpms-sr', 'at-smsc', 'at-smsc-failing', 'at-ussd']
  return [...kinds, 'at-sms', 'at-sms-failing']
    .filter((kind) => existsSync(join(folder, kind)))
    .flatMap((kind) =>
      readdirSync(join(folder, kind))
        .filter((file) => file.endsWith('.dump'))
        .map((file) => ({ name: `${kind}/${file}`, text: readFileSync(join(folder, kind, file), 'latin1') })),
    )
}

/** Returns the string literals of the tests that begin with a code that the driver reads. */
function modemManagerReplies(folder: string): readonly Reply[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => /tests\/test-[\w-]*modem-helpers[\w-]*\.c$|tests\/test-mm-modem-helpers[\w-]*\.c$/.test(file))
    .sort()
    .flatMap((file) => {
      const literals = readFileSync(join(folder, file), 'latin1').match(/(?:"(?:[^"\\\n]|\\.)*"\s*)+/g) ?? []
      const texts = literals.map(textOfLiterals).filter((text) => prefixes.test(text.trimStart()))
      return [...new Set(texts)].map((text, index) => ({ name: `${file} ${index + 1}`, text }))
    })
}

function textOfLiterals(literals: string): string {
  const escapes: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t' }
  return [...literals.matchAll(/"((?:[^"\\\n]|\\.)*)"/g)]
    .map(([, text = '']) => text.replaceAll(/\\(.)/g, (_, char: string) => escapes[char] ?? char))
    .join('')
}

async function isUnderstood(reply: string): Promise<boolean> {
  // Removes the echo, because the driver recognises only the echo of its own command.
  const text = reply
    .replaceAll(/\r?\n|\r/g, '\r\n')
    .replace(/^AT\S*\r\n/, '')
    .trim()
  const lines = text.split('\r\n').map(readResponseLine)
  const code = lines.find(({ prefix }) => prefix !== '')
  if (code === undefined) return /^(OK|ERROR)$/.test(text)
  if (/^\+C(G|E|5G)?REG$/.test(code.prefix)) return lines.some((line) => registrationIn(line) !== undefined)
  if (code.prefix === '+CUSD')
    return ussdAnswerIn({ ...code, body: text.slice(text.indexOf(':') + 1).trim() }, 'plain') !== undefined
  const query = queryFor(code.prefix, code.body)
  return query === undefined ? true : reads(query, text)
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
      return readable(listMessages, (messages) => messages)
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
function readable<T>(query: Query<T>, messagesIn: (value: T) => readonly StoredMessage[]): Query<true> {
  return {
    ...query,
    read: (lines) => {
      const value = query.read(lines)
      const messages = value === undefined ? [] : messagesIn(value)
      const areRead = messages.every(({ index, pdu, stat }) => {
        const incoming = readIncoming({ kind: 'stored', memory: 'SM', index }, pdu, stat)
        // The driver returns an outgoing message unchanged if the modem lists the message as received.
        return incoming?.kind !== 'unreadable' || incoming.why.startsWith('TP-MTI 01')
      })
      return messages.length > 0 && areRead ? true : undefined
    },
  }
}

async function reads(query: Query<unknown>, text: string): Promise<boolean> {
  const clock = new ManualClock()
  const modem = new ScriptedModem()
  const dialogue = new Dialogue({ port: modem, clock, onEvent: () => undefined })
  const isEnded = /(^|\r\n)(OK|ERROR)$/.test(text)
  modem.reply = (line) => (line === query.text ? `\r\n${text}\r\n${isEnded ? '' : '\r\nOK\r\n'}` : undefined)
  const answer = ask(dialogue, query)
  await clock.advance(60_000)
  return (await answer).kind === 'value'
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
