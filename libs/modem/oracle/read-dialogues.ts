import { parseArgs } from 'node:util'
import {
  type EncodedMessage,
  gammuMessages,
  gammuReplies,
  modemManagerReplies,
  phonesimReplies,
  pythonGsmmodemReplies,
  type Reply,
} from './corpora.ts'
import { isMessageUnderstood, isReplyUnderstood } from './understand-reply.ts'

/** Replies that the driver need not understand, with the reason. `pattern` matches corpus, name and text. */
const decidedReplies: readonly { readonly pattern: RegExp; readonly reason: string }[] = [
  {
    pattern: /^gammu at-sms-failing\/(13|17|25)\.dump /,
    reason: 'the PDU has digits that are not hexadecimal, or an invalid address; gammu refuses it too',
  },
  { pattern: /^gammu at-sms-failing\/33\.dump /, reason: 'a slot filled with FF is empty' },
  { pattern: /^ModemManager \S+ \d+ \+CMGR: \S+ [0-9A-F]/, reason: 'the test writes a blank instead of the line end' },
  {
    pattern: /^ModemManager \S+ \d+ \+CCLK: *"?(1\d|XX)\//,
    reason: 'the clock of the modem was not set: the year is before 2020 or missing',
  },
  {
    pattern: /^python-gsmmodem \S+ \d+ AT\+CFUN\? \+CFUN: \(/,
    reason:
      'the modem lists all possible settings instead of the current one; the driver continues without the setting',
  },
]

/**
 * Uses the driver to read the modem output in the tests of other programs, and the codec to read messages that gammu
 * has encoded. The tests are read from unpacked source packages, and nothing is copied from them. docs/hardware.md
 * names the packages and the results.
 *
 * node libs/modem/oracle/read-dialogues.ts [--gammu folder] [--modemmanager folder] [--python-gsmmodem folder]
 *   [--phonesim default.xml] [--optional]
 *
 * Exits with code 1 if something is not understood and `decided-replies.ts` contains no reason for it. Also exits with
 * code 1 without sources, unless `--optional` is given.
 */
const { values } = parseArgs({
  options: {
    gammu: { type: 'string' },
    modemmanager: { type: 'string' },
    'python-gsmmodem': { type: 'string' },
    phonesim: { type: 'string' },
    optional: { type: 'boolean', default: false },
  },
})

interface Corpus {
  readonly name: string
  readonly what: 'replies' | 'messages'
  readonly items: readonly (Reply | EncodedMessage)[]
}

const corpora: readonly Corpus[] = [
  ...corpus('gammu', 'replies', values.gammu, gammuReplies),
  ...corpus('gammu', 'messages', values.gammu, gammuMessages),
  ...corpus('ModemManager', 'replies', values.modemmanager, modemManagerReplies),
  ...corpus('python-gsmmodem', 'replies', values['python-gsmmodem'], pythonGsmmodemReplies),
  ...corpus('phonesim', 'replies', values.phonesim, phonesimReplies),
]
if (corpora.length === 0) {
  print('No sources given, so nothing was read. Unpack them: apt-get source gammu modemmanager')
  process.exit(values.optional ? 0 : 1)
}

let unexplained = 0
for (const { name, what, items } of corpora) {
  const counts = { understood: 0, decided: 0, 'not understood': 0 }
  for (const item of items) {
    const text = 'pdu' in item ? item.pdu : `${item.command === undefined ? '' : `${item.command} `}${item.text.trim()}`
    const isUnderstood = 'pdu' in item ? isMessageUnderstood(item) : await isReplyUnderstood(item)
    const reason = decidedReplies.find(({ pattern }) => pattern.test(`${name} ${item.name} ${text}`))?.reason
    const verdict = isUnderstood ? 'understood' : reason === undefined ? 'not understood' : 'decided'
    counts[verdict] += 1
    if (verdict === 'not understood')
      print(`NOT UNDERSTOOD  ${name} ${item.name}: ${JSON.stringify(text.slice(0, 120))}`)
    else if (verdict === 'decided') print(`decided  ${name} ${item.name}: ${reason}`)
  }
  unexplained += counts['not understood']
  const verdicts = Object.entries(counts).map(([verdict, count]) => `${count} ${verdict}`)
  print(`${name}: ${items.length} ${what}, ${verdicts.join(', ')}`)
}
process.exit(unexplained === 0 ? 0 : 1)

function corpus(
  name: string,
  what: Corpus['what'],
  source: string | undefined,
  read: (source: string) => Corpus['items'],
): readonly Corpus[] {
  return source === undefined ? [] : [{ name, what, items: read(source) }]
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
