import { textOfUserData, type UserData } from '../fields/user-data.ts'
import {
  concatenationOf,
  decodeUserDataHeader,
  type InformationElement,
  lockingShiftElement,
  nationalLanguagesOf,
  type Ports,
  portsOf,
  singleShiftElement,
  type UserDataHeader,
  userDataHeaderOf,
} from '../fields/user-data-header.ts'
import { hexFromOctets, joinOctets, octetsFromHex } from '../octets.ts'
import type { HeldPart, PartContent } from './held-part.ts'

/** A message of several parts, in the form of a single message. */
export interface JoinedParts {
  /**
   * One entry for each run of consecutive parts with the same alphabet and tables; there is nearly always only one run.
   * The header contains the elements of the parts except the numbering, so that code for single messages can also read
   * an entry.
   */
  readonly userData: readonly UserData[]
  /** `…` marks parts that are missing or not text. Undefined when no part is text. */
  readonly text: string | undefined
  readonly ports: Ports | undefined
  /** True if a part had lost its last octet. The text may then lack a character without a `…`. */
  readonly truncated: boolean
  /** The data coding scheme and the protocol identifier come from the first part that has arrived. */
  readonly dataCodingScheme: number
  readonly protocolIdentifier: number
}

/**
 * Joins the units before decoding them, because some senders split escape pairs and surrogate pairs between parts.
 *
 * Every part should contain its national tables. Parts without tables are read with the tables of the first part that
 * has tables. A sender that encodes each part separately may use different alphabets, so each run of parts with one
 * alphabet is decoded separately.
 *
 * @param parts ordered by sequence, at least one, all with their content
 */
export function joinParts(parts: readonly HeldPart[], total: number): JoinedParts {
  const readable = parts.flatMap(({ sequence, content }) => (content === null ? [] : [readablePart(sequence, content)]))
  const runs = runsOf(readable)
  const userData = runs.map(userDataOfRun)
  const first = parts[0]?.content
  return {
    userData,
    text: textOf(runs, userData, total),
    ports: readable.map(({ header }) => portsOf(header)).find((ports) => ports !== undefined),
    truncated: readable.some(({ content }) => content.truncated),
    dataCodingScheme: first?.dataCodingScheme ?? 0,
    protocolIdentifier: first?.protocolIdentifier ?? 0,
  }
}

interface ReadablePart {
  readonly sequence: number
  readonly content: PartContent
  readonly header: UserDataHeader | undefined
}

interface Tables {
  readonly locking: number | undefined
  readonly single: number | undefined
}

interface Run {
  readonly parts: ReadablePart[]
  readonly tables: Tables
}

function readablePart(sequence: number, content: PartContent): ReadablePart {
  const header = content.header === '' ? undefined : decodeUserDataHeader(octetsFromHex(content.header))
  return { sequence, content, header }
}

function runsOf(parts: readonly ReadablePart[]): readonly Run[] {
  const common = parts.map(({ header }) => nationalLanguagesOf(header)).find(namesAny) ?? NO_TABLES
  const runs: Run[] = []
  for (const part of parts) {
    const own = nationalLanguagesOf(part.header)
    const tables = part.content.alphabet !== 'gsm7' ? NO_TABLES : namesAny(own) ? own : common
    const last = runs.at(-1)
    if (last !== undefined && continues(last, part, tables)) last.parts.push(part)
    else runs.push({ parts: [part], tables })
  }
  return runs
}

function continues(run: Run, { sequence, content }: ReadablePart, tables: Tables): boolean {
  const before = run.parts.at(-1)
  return (
    before !== undefined &&
    before.sequence + 1 === sequence &&
    before.content.alphabet === content.alphabet &&
    before.content.compressed === content.compressed &&
    run.tables.locking === tables.locking &&
    run.tables.single === tables.single
  )
}

function userDataOfRun({ parts, tables }: Run): UserData {
  const elements = elementsOf(parts, tables)
  return {
    alphabet: parts[0]?.content.alphabet ?? 'octets',
    ...(parts[0]?.content.compressed === true ? { compressed: true } : {}),
    header: elements.length === 0 ? undefined : userDataHeaderOf(elements),
    units: joinOctets(parts.map(({ content }) => octetsFromHex(content.units))),
    ...(parts.some(({ content }) => content.truncated) ? { truncated: true } : {}),
  }
}

/** Returns each element once. Elements beyond the size of a header, which only forged parts have, are left out. */
function elementsOf(parts: readonly ReadablePart[], tables: Tables): readonly InformationElement[] {
  const shifts = [
    ...(tables.single === undefined ? [] : [singleShiftElement(tables.single)]),
    ...(tables.locking === undefined ? [] : [lockingShiftElement(tables.locking)]),
  ]
  const others = parts
    .flatMap(({ header }) => (header === undefined || header.broken ? [] : header.elements))
    .filter((element) => !isNumbering(element) && !namesAny(nationalLanguagesOf(headerOf(element))))
  const kept = new Map<string, InformationElement>()
  let octets = 0
  for (const element of [...shifts, ...others]) {
    const name = `${element.identifier} ${hexFromOctets(element.data)}`
    if (kept.has(name) || octets + 2 + element.data.length > MAX_HEADER_OCTETS) continue
    kept.set(name, element)
    octets += 2 + element.data.length
  }
  return [...kept.values()]
}

function textOf(runs: readonly Run[], userData: readonly UserData[], total: number): string | undefined {
  const texts = userData.map(textOfUserData)
  if (texts.every((text) => text === undefined)) return undefined
  let joined = ''
  let next = 1
  for (const [index, { parts }] of runs.entries()) {
    if (parts[0]!.sequence > next) joined += GAP
    joined += texts[index] ?? GAP
    next = parts.at(-1)!.sequence + 1
  }
  return next <= total ? joined + GAP : joined
}

function isNumbering(element: InformationElement): boolean {
  return concatenationOf(headerOf(element)) !== undefined
}

function namesAny({ locking, single }: Tables): boolean {
  return locking !== undefined || single !== undefined
}

function headerOf(element: InformationElement): UserDataHeader {
  return { elements: [element], raw: new Uint8Array(), broken: false }
}

const NO_TABLES: Tables = { locking: undefined, single: undefined }

const GAP = '…'

/** UDHL is one octet. */
const MAX_HEADER_OCTETS = 255
