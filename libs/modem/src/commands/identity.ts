import { anyBareLine } from '../command.ts'
import type { ResponseLine } from '../response-line.ts'
import { firstIn, type Query } from './query.ts'

/** Who the modem is. 27.007 §5.1–5.4 */
export const readManufacturer: Query<string> = freeText('AT+CGMI', ['+CGMI', '+GMI'])
export const readModel: Query<string> = freeText('AT+CGMM', ['+CGMM', '+GMM'])
export const readFirmware: Query<string> = freeText('AT+CGMR', ['+CGMR', '+GMR'])

/**
 * The IMEI: what identifies a modem whatever port it is on. Undefined unless it is one, for some ports answer OK to
 * everything (Sierra APP) and must not be taken for a modem.
 */
export const readImei: Query<string> = {
  text: 'AT+CGSN',
  timeoutMs: 5000,
  prefixes: ['+CGSN', '+GSN'],
  bare: (line) => imeiIn(line) !== undefined,
  read: (lines) => firstIn(lines, (line) => imeiIn(line.body)),
}

/** V.250 §6.1.3: free text, one line or ten. Huawei and its kin put everything into it, with labels. */
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

/** 14 digits (without check digit) to 16 (IMEISV); anything else is no IMEI. 23.003 §6.2 */
export function imeiIn(text: string): string | undefined {
  return /^\D{0,12}(\d{14,16})(?!\d)/.exec(text)?.[1]
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
    .map((line) => line.body.replace(/^"(.*)"$/, '$1').trim())
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
