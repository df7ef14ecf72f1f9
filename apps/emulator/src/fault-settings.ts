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
  return z.strictObject(Object.fromEntries(Object.entries(defaults).map(([key, value]) => [key, optionLike(value)])))
}

/** An option takes what its default is. */
function optionLike(value: number | string | boolean) {
  if (typeof value === 'number') return z.number().optional()
  return typeof value === 'boolean' ? z.boolean().optional() : z.string().optional()
}

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
