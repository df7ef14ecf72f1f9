import type { FaultSettings } from '@smsgw/virtual-modem/fault-control'
import { type FaultName, faultCatalogue } from '@smsgw/virtual-modem/faults'
import { z } from 'zod'
import { firstProblem } from './first-problem.ts'

/** `{ "submit-slow": { "delayMs": 15000, "chance": 0.1 } }`: only faults and options that the catalogue knows. */
export const faultSettings = z
  .partialRecord(z.enum(faultCatalogue.map(({ name }) => name)), z.record(z.string(), z.unknown()))
  .transform((settings, context): FaultSettings => {
    for (const [name, options] of Object.entries(settings)) {
      const result = faultOptions(name as FaultName).safeParse(options)
      if (result.success) continue
      const { path, problem } = firstProblem(result.error)
      context.addIssue({ code: 'custom', message: problem, path: path === '' ? [name] : [name, path] })
    }
    // The catalogue has checked names and types, which the compiler cannot follow.
    return settings as FaultSettings
  })

export function faultOptions(name: FaultName) {
  const defaults = faultCatalogue.find((entry) => entry.name === name)?.options ?? {}
  return z.strictObject(
    Object.fromEntries(
      Object.entries(defaults).map(([key, value]) => [key, (optionValues.get(key) ?? likeIts(value)).optional()]),
    ),
  )
}

/** An option whose name says no more takes what its default is. */
function likeIts(value: number | string | boolean): z.ZodType {
  if (typeof value === 'number') return z.number()
  return typeof value === 'boolean' ? z.boolean() : z.string()
}

const count = z.int().min(0)
const durationMs = z.number().min(0).max(86_400_000)

/** What makes sense, by the name of the option: it means the same in each fault that has it. */
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
  ['codes', z.string().regex(/^\d{1,3}(,\d{1,3})*$/, 'must be error codes with commas between, such as 38,500')],
  ['command', z.string().regex(/^[+^*#%$&_]?[A-Za-z0-9]*$/, 'must be the name of a command, such as +CMGL')],
  ['line', z.string().regex(/^[\x20-\x7e]{0,1000}$/, 'must be one line of printable ASCII')],
  ['stat', z.literal([0, 1, 2, 3, 4, 5, 6, 7, 8, 11])],
  ['left', z.int().min(0).max(3)],
  ['sequence', z.int().min(0).max(0xff)],
  ['reference', z.int().min(0).max(0xffff)],
  ['form', z.enum(['text', 'code', 'general'])],
])

/** `submit-slow:delayMs=15000,chance=0.1`, as an option spells it; a value with commas spells them `;`. */
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

/** What cannot be read as it should stays text, for the schema to complain about. */
function likeDefault(text: string, value: number | string | boolean | undefined): unknown {
  if (typeof value === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (typeof value === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
