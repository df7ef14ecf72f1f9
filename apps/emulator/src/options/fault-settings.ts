import { type FaultName, faultCatalogue } from '@smsgw/virtual-modem/faults/fault-catalogue'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { z } from 'zod'
import { firstProblem } from './check-input.ts'

/** `{ "submit-slow": { "delayMs": 15000, "chance": 0.1 } }`: faults and options of the catalogue. */
export const faultSettings = z
  .partialRecord(z.enum(faultCatalogue.map(({ name }) => name)), z.record(z.string(), z.unknown()))
  .transform((settings, context): FaultSettings => {
    for (const [name, options] of Object.entries(settings)) {
      const result = faultOptions(name as FaultName).safeParse(options)
      if (result.success) continue
      const { path, problem } = firstProblem(result.error)
      context.addIssue({ code: 'custom', message: problem, path: path === '' ? [name] : [name, path] })
    }
    // The catalogue was used to check names and types, but the compiler does not know this.
    return settings as FaultSettings
  })

export function faultOptions(name: FaultName) {
  const defaults = faultCatalogue.find((entry) => entry.name === name)?.options ?? {}
  return z.strictObject(
    Object.fromEntries(
      Object.entries(defaults).map(([key, value]) => [key, (optionValues.get(key) ?? ofTypeOf(value)).optional()]),
    ),
  )
}

/** Returns the schema of an option that has no schema of its own. It accepts values of the type of the default. */
function ofTypeOf(value: number | string | boolean): z.ZodType {
  if (typeof value === 'number') return z.number()
  return typeof value === 'boolean' ? z.boolean() : z.string()
}

const count = z.int().min(0)
const durationMs = z.number().min(0).max(86_400_000)

/** The valid values by option name. A name has the same meaning in every fault. */
const optionValues: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['chance', z.number().min(0).max(1)],
  ['times', count],
  ['skip', count],
  ['delayMs', durationMs],
  ['forMs', durationMs],
  ['lagMs', durationMs],
  ['withinMs', durationMs],
  ['everyMs', durationMs.min(1)],
  ['perSecond', z.number().min(0.001).max(1000)],
  ['code', z.int().min(-1).max(999)],
  ['codes', z.string().regex(/^\d{1,3}(,\d{1,3})*$/, 'must be error codes separated by commas, for example 38,500')],
  [
    'command',
    z
      .string()
      .regex(
        /^[+^*#%$&_]?[A-Za-z0-9]*\??(\/[+^*#%$&_]?[A-Za-z0-9]+\??)*$/,
        'must be a command, for example +CMGL, or several, for example +CMEE/+CNMI?',
      ),
  ],
  ['path', z.string().regex(/^[A-Za-z/-]{0,64}$/, 'must be the end of a path, for example sms-list')],
  ['line', z.string().regex(/^[\x20-\x7e]{0,1000}$/, 'must be one line of printable ASCII')],
  ['stat', z.literal([0, 1, 2, 3, 4, 5, 6, 7, 8, 11])],
  ['left', z.int().min(0).max(3)],
  ['sequence', z.int().min(0).max(0xff)],
  ['reference', z.int().min(0).max(0xffff)],
  ['form', z.enum(['text', 'code', 'general'])],
])

/** Parses `submit-slow:delayMs=15000,chance=0.1`; a comma inside a value is written as `;`. */
export function faultFromText(text: string): Record<string, Record<string, unknown>> {
  const [name = '', ...rest] = text.split(':')
  const defaults = faultCatalogue.find((entry) => entry.name === name)?.options ?? {}
  const options: Record<string, unknown> = {}
  for (const pair of rest.join(':').split(',').filter(Boolean)) {
    const [key = '', ...value] = pair.split('=')
    options[key] = likeDefault(value.join('=').replaceAll(';', ','), defaults[key])
  }
  return { [name]: options }
}

/** Converts the text to the type of the default. The schema refuses text that cannot be converted. */
function likeDefault(text: string, value: number | string | boolean | undefined): unknown {
  if (typeof value === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (typeof value === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
