import { parseArgs } from 'node:util'
import { FuzzRandom } from '../fuzz/random.ts'
import { readVectorFiles } from '../fuzz/read-vectors.ts'
import { hexFromOctets } from '../src/octets.ts'
import { encodeForModem } from '../src/tpdu/tpdu.ts'
import {
  askGammu,
  type DecodeRequest,
  type EncodeRequest,
  type GammuAnswer,
  type GammuReading,
} from './gammu-process.ts'
import { type Difference, knownDifferences } from './known-differences.ts'
import { codings, type Field, type OurReading, ourReading } from './our-reading.ts'
import { randomMessage } from './random-messages.ts'

/**
 * Decodes the vectors and random messages with gammu and with this package, decodes messages encoded by gammu, and
 * classifies the differences. See docs/sms-oracle.md.
 *
 * node libs/sms/oracle/compare-with-gammu.ts [--count 5000] [--seed 1] [--python /usr/bin/python3] [--optional]
 */
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    // Debian installs python3-gammu for this Python only.
    python: { type: 'string', default: '/usr/bin/python3' },
    optional: { type: 'boolean', default: false },
  },
})

interface Comparison {
  readonly name: string
  readonly request: DecodeRequest | EncodeRequest
  /** The differences between gammu and this package. */
  readonly differences: (answer: GammuAnswer) => readonly Difference[]
}

const random = new FuzzRandom(Number(values.seed))
const messages = Array.from({ length: Number(values.count) }, () => randomMessage(random))
const comparisons = [
  ...vectorsRead(),
  ...messages.map((message, index) => messageRead(message, index)),
  ...messages.flatMap((message, index) => messageWritten(message, index)),
]

const answers = askGammu(
  values.python,
  comparisons.map(({ request }) => request),
)
if (answers === undefined) {
  print('gammu is not installed, so nothing was compared. Install it: sudo apt-get install python3-gammu')
  process.exit(values.optional ? 0 : 1)
}

const known = new Map<string, number>()
let equal = 0
let unexplained = 0
for (const [index, { name, differences }] of comparisons.entries()) {
  const answer = answers[index]
  if (answer === undefined) throw new Error(`gammu did not answer for ${name}`)
  const found = differences(answer)
  if (found.length === 0) equal++
  for (const difference of found) count(name, difference)
}

print(`${comparisons.length} messages, seed ${values.seed}: ${equal} equal`)
for (const [name, times] of [...known].sort((one, other) => other[1] - one[1]))
  print(`${String(times).padStart(6)}  ${name}`)
print(unexplained === 0 ? 'every difference is explained in docs/sms-oracle.md' : `${unexplained} unexplained`)
process.exitCode = unexplained === 0 ? 0 : 1

function vectorsRead(): readonly Comparison[] {
  const vectors = readVectorFiles()
    .filter(({ kind }) => kind === 'tpdu')
    .flatMap((file) => file.vectors.map((vector) => ({ ...vector, file: file.name })))
  return vectors.map(({ file, name, pdu = '', direction = 'incoming' }) => ({
    name: `${file}: ${name}`,
    request: { operation: 'decode', pdu },
    differences: (answer) => differencesOfReading(pdu, ourReading(pdu, direction), answer),
  }))
}

function messageRead(message: (typeof messages)[number], index: number): Comparison {
  const pdu = hexFromOctets(encodeForModem(message).octets)
  return {
    name: `read, message ${index}`,
    request: { operation: 'decode', pdu },
    differences: (answer) => differencesOfReading(pdu, ourReading(pdu, directionOf(message.kind)), answer),
  }
}

function differencesOfReading(
  pdu: string,
  reading: OurReading | undefined,
  answer: GammuAnswer,
): readonly Difference[] {
  if ('pdu' in answer) throw new Error('gammu wrote a PDU, but was asked to read one')
  if ('error' in answer) {
    return reading === undefined ? [] : [{ field: 'refused', ours: pdu, gammu: answer.error, reading }]
  }
  if (reading === undefined) throw new Error(`gammu reads a PDU that this package refuses: ${pdu}`)
  const fields = Object.entries(gammuFields(answer)) as [keyof OurReading['fields'], string][]
  return fields
    .map(([field, gammu]) => ({ field, ours: reading.fields[field], gammu, reading }))
    .filter(({ ours, gammu }) => ours !== gammu)
}

/** gammu encodes only its own headers, and no reports, so the comparison encodes only plain messages. */
function messageWritten(message: (typeof messages)[number], index: number): readonly Comparison[] {
  const { kind, userData } = message
  if (kind === 'status-report' || userData.header !== undefined) return []
  const asked = ourReading(hexFromOctets(encodeForModem(message).octets), directionOf(kind))?.fields
  if (asked === undefined) throw new Error('this package cannot read a PDU that it wrote')
  const layout = kind === 'submit' ? 'Submit' : 'Deliver'
  const isText = userData.alphabet !== 'octets'
  const serviceCentre = '+447785016005'
  return [
    {
      name: `written, message ${index}`,
      request: {
        operation: 'encode',
        layout,
        type: layout,
        serviceCentre,
        number: asked.number,
        coding: codings[userData.alphabet],
        class: Number(asked.class),
        text: isText ? asked.text : null,
        octets: isText ? '' : asked.text,
      },
      differences: (answer) => differencesOfWriting({ ...asked, 'service centre': serviceCentre }, kind, answer),
    },
  ]
}

function differencesOfWriting(
  asked: OurReading['fields'],
  kind: 'deliver' | 'submit',
  answer: GammuAnswer,
): readonly Difference[] {
  if (!('pdu' in answer)) throw new Error(`gammu could not encode ${JSON.stringify(asked)}: ${JSON.stringify(answer)}`)
  const reading = ourReading(answer.pdu, directionOf(kind))
  if (reading === undefined) throw new Error(`gammu writes a PDU that this package refuses: ${answer.pdu}`)
  const differences: Difference[] = (['number', 'text', 'coding', 'class', 'service centre'] as const)
    .map((field) => ({ field, ours: reading.fields[field], gammu: asked[field], reading }))
    .filter(({ ours, gammu }) => ours !== gammu)
  const octets = hexFromOctets(encodeForModem(reading.tpdu, reading.serviceCentre).octets)
  return octets === answer.pdu
    ? differences
    : [...differences, { field: 'octets', ours: octets, gammu: answer.pdu, reading }]
}

function directionOf(kind: 'deliver' | 'submit' | 'status-report'): 'incoming' | 'outgoing' {
  return kind === 'submit' ? 'outgoing' : 'incoming'
}

function count(name: string, difference: Difference): void {
  const explanation = knownDifferences.find(({ explains }) => explains(difference))
  if (explanation !== undefined) {
    known.set(explanation.name, (known.get(explanation.name) ?? 0) + 1)
    return
  }
  unexplained++
  const { field, ours, gammu } = difference
  if (unexplained <= 20) print(`${name}: ${field}\n  ours  ${JSON.stringify(ours)}\n  gammu ${JSON.stringify(gammu)}`)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Returns the answer of gammu as fields that can be compared. */
function gammuFields(reading: GammuReading): Readonly<Record<Field, string>> {
  const isReport = reading.type === 'Status_Report'
  const { text, parts } = reading
  const [reference8, reference16, part, of] = parts
  return {
    type: reading.type,
    'service centre': reading.serviceCentre,
    number: reading.number,
    text: isReport ? '' : 'text' in text ? text.text : text.octets,
    coding: isReport ? '' : reading.coding,
    class: isReport ? '' : String(reading.class),
    time: reading.type === 'Submit' ? '' : (reading.dateTime ?? ''),
    status: isReport ? String(reading.status) : '',
    reference: isReport ? String(reading.reference) : '',
    header: isReport ? '' : reading.header,
    parts: isReport || part < 0 ? '' : `${Math.max(reference8, reference16)} ${part}/${of}`,
  }
}
