// What of a telemetry frame's sample the relay understands. Any member may be missing or of another kind, as older and newer
// agents tell it: then it is not known, and the others still are.
import { z } from 'zod'

const known = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)
const words = known(z.string().max(500))
const figure = known(z.number())
const count = known(z.int().min(0))

const gauge = z.object({ used: z.int().min(0), total: z.int().min(0) })

const modemSample = z.object({
  simNumber: known(z.int().min(1).max(64)),
  port: words,
  /** Of the SIM, as the API names it. */
  state: words,
  manufacturer: words,
  /** May begin with the manufacturer. */
  model: words,
  firmware: words,
  /** Its last four digits. */
  imeiEnd: known(z.string().max(4)),
  operator: words,
  technology: words,
  registration: words,
  /** Per cent. */
  signal: known(z.int().min(0).max(100)),
  signalDbm: figure,
  /** By name of the memory. */
  storage: known(z.record(z.string().max(8), gauge)),
  /** Why it does not work as it should. */
  trouble: words,
  /** What was tried since something went wrong. */
  recovery: known(z.object({ steps: known(z.array(z.unknown())) })),
})

const sample = z.object({
  platform: words,
  queue: known(z.object({ open: count, fsyncMs: figure })),
  journal: known(z.object({ sizeBytes: count, fsyncMs: figure })),
  modems: known(z.array(modemSample).max(64)),
})

export function readTelemetry(told: unknown): TelemetrySample {
  const result = sample.safeParse(told)
  return result.success ? result.data : {}
}

export type TelemetrySample = z.infer<typeof sample>
export type ModemSample = z.infer<typeof modemSample>
