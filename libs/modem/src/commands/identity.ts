import { anyBareLine } from '../dialogue/command.ts'
import type { ResponseLine } from '../wire/response-line.ts'
import { displayName } from './display-name.ts'
import { firstIn, type Query, type QueryAnswer } from './query.ts'

/** Manufacturer, model and firmware. 27.007 §5.1–5.4 */
export const readManufacturer: Query<string> = freeText('AT+CGMI', ['+CGMI', '+GMI'])
export const readModel: Query<string> = freeText('AT+CGMM', ['+CGMM', '+GMM'])
export const readFirmware: Query<string> = freeText('AT+CGMR', ['+CGMR', '+GMR'])

/** The IMEI, which identifies the modem on any port. */
export interface ModemNumber {
  readonly imei: string | undefined
  /** The serial number, if the modem reports a serial number instead of an IMEI. */
  readonly serial: string | undefined
}

/**
 * Reads the IMEI, or the serial number that some modems report instead. Tries `AT+CGSN`, `AT+GSN`, `AT+CGSN=1` (NB-IoT,
 * 27.007 §5.4) and `ATI`, in this order. Returns undefined if the modem does not answer the first three commands.
 */
export async function readModemNumber(
  ask: <T>(query: Query<T>) => Promise<QueryAnswer<T>>,
): Promise<ModemNumber | undefined> {
  let serial: string | undefined
  let isAnswering = false
  for (const text of ['AT+CGSN', 'AT+GSN', 'AT+CGSN=1']) {
    const answer = await ask(numberQuery(text))
    if (answer.kind === 'not-sent') return undefined
    if (answer.kind !== 'unanswered') isAnswering = true
    else if (answer.why !== 'timeout') return undefined
    if (answer.kind !== 'value') continue
    if (answer.value.imei !== undefined) return answer.value
    serial ??= answer.value.serial
  }
  if (!isAnswering) return undefined
  const information = await ask(readInformation)
  return { imei: information.kind === 'value' ? information.value.imei : undefined, serial }
}

export function numberQuery(text: string): Query<ModemNumber> {
  return {
    text,
    timeoutMs: 5000,
    prefixes: ['+CGSN', '+GSN'],
    bare: (line) => imeiIn(line) !== undefined || serialIn(line) !== undefined,
    read: (lines) => {
      const imei = firstIn(lines, (line) => imeiIn(line.body))
      const serial = imei === undefined ? firstIn(lines, (line) => serialIn(line.body)) : undefined
      return imei === undefined && serial === undefined ? undefined : { imei, serial }
    },
  }
}

/**
 * The answer to `ATI` (V.250 §6.1.3) is free text of any number of lines. In the firmware of Huawei and similar
 * vendors, this text contains the whole identity, with labels.
 */
export const readInformation: Query<Information> = {
  text: 'ATI',
  timeoutMs: 5000,
  bare: anyBareLine,
  prefixes: ['+GCAP'],
  sensitivity: 'plain',
  read: (lines) => {
    const texts = withoutEcho(lines, 'ATI')
    if (texts.length === 0) return undefined
    return {
      lines: texts,
      manufacturer: labelled(texts, 'manufacturer'),
      model: labelled(texts, 'model'),
      firmware: labelled(texts, 'revision'),
      imei: imeiIn(labelled(texts, 'imei') ?? ''),
    }
  },
}

export interface Information {
  readonly lines: readonly string[]
  readonly manufacturer: string | undefined
  readonly model: string | undefined
  readonly firmware: string | undefined
  readonly imei: string | undefined
}

/** An IMEI has 14 digits without its check digit, 15 with it, and 16 as IMEISV. 23.003 §6.2 */
export function imeiIn(text: string): string | undefined {
  return /^\D{0,12}(\d{14,16})(?!\d)/.exec(text)?.[1]
}

/** `1234567890`, `ESN 80AABBCC`: at least four characters, which include a digit and are not all the same. */
function serialIn(text: string): string | undefined {
  const found = /^"?(?:[A-Za-z]{2,6}[ :]+)?([A-Za-z0-9-]{4,32})"?$/.exec(text.trim())?.[1]
  return found !== undefined && /\d/.test(found) && new Set(found).size > 1 ? found : undefined
}

function freeText(text: string, prefixes: readonly string[]): Query<string> {
  return {
    text,
    timeoutMs: 5000,
    prefixes,
    bare: anyBareLine,
    sensitivity: 'plain',
    read: (lines) => withoutEcho(lines, text)[0],
  }
}

function withoutEcho(lines: readonly ResponseLine[], command: string): string[] {
  return lines
    .filter((line) => line.text.toUpperCase() !== command)
    .map((line) => displayName(line.body.trim().replace(/^"(.*)"$/, '$1')))
    .filter((text) => text !== '')
}

function labelled(texts: readonly string[], label: string): string | undefined {
  for (const text of texts) {
    const colon = text.indexOf(':')
    if (colon > 0 && text.slice(0, colon).trim().toLowerCase() === label) {
      const value = text.slice(colon + 1).trim()
      if (value !== '') return value
    }
  }
  return undefined
}
