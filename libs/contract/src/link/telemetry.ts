// The members of a telemetry sample that the relay reads. Older and newer agents may omit a member, or send it with
// another type. Such a member counts as absent, and the other members are kept.
import { z } from 'zod'

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)
const text = optional(z.string().max(500))
const figure = optional(z.number())
const count = optional(z.int().min(0))

const gauge = z.object({ used: z.int().min(0), total: z.int().min(0) })

const modemSample = z.object({
  simNumber: optional(z.int().min(1).max(64)),
  port: text,
  /** State of the SIM, with the values of the API. */
  state: text,
  manufacturer: text,
  /** The model of the modem, which may start with the manufacturer. */
  model: text,
  firmware: text,
  /** The last four digits of the IMEI. */
  imeiEnd: optional(z.string().max(4)),
  operator: text,
  technology: text,
  registration: text,
  /** Per cent. */
  signal: optional(z.int().min(0).max(100)),
  signalDbm: figure,
  /** The memories for messages, by their names. */
  storage: optional(z.record(z.string().max(8), gauge)),
  /** The current problem of the modem. */
  problem: text,
  /** Stable code of the problem. Findings use the same codes. */
  problemCode: text,
  /** The recovery steps since the last failure. */
  recovery: optional(z.object({ steps: optional(z.array(z.unknown())) })),
})

const sample = z.object({
  platform: text,
  queue: optional(z.object({ open: count, fsyncMs: figure })),
  journal: optional(z.object({ sizeBytes: count, fsyncMs: figure })),
  modems: optional(z.array(modemSample).max(64)),
})

export function readTelemetry(received: unknown): TelemetrySample {
  const result = sample.safeParse(received)
  return result.success ? result.data : {}
}

export type TelemetrySample = z.infer<typeof sample>
export type ModemSample = z.infer<typeof modemSample>
