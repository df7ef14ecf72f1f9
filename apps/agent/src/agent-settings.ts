import { z } from 'zod'
import { defaultSendingSettings, type SendingSettings } from './sending/sending-settings.ts'

/**
 * What of the account's settings concerns an agent, as the relay sends them. Each part that cannot be read keeps its
 * default: a newer relay must not stop an agent from sending.
 */
export function agentSettings(sent: Readonly<Record<string, unknown>>): AgentSettings {
  const messages = record(sent['messages'])
  const ping = record(sent['ping'])
  return {
    sending: {
      pace: {
        ...interval(messages),
        limit: limit(messages),
        workHours: workHours(messages),
      },
      simSelection: choice(messages['sim_selection_mode'], ['OSDefault', 'RoundRobin', 'Random'] as const),
      order: choice(messages['processing_order'], ['FIFO', 'LIFO'] as const),
    },
    pingMs: positive(ping['interval_seconds'], 1000),
  }
}

export interface AgentSettings {
  readonly sending: SendingSettings
  /** Undefined: no ping. */
  readonly pingMs: number | undefined
}

export const defaultAgentSettings: AgentSettings = { sending: defaultSendingSettings, pingMs: undefined }

function interval(messages: Known): { readonly intervalMinMs: number; readonly intervalMaxMs: number } {
  const min = positive(messages['send_interval_min'], 1000)
  const max = positive(messages['send_interval_max'], 1000)
  const least = min ?? max ?? 0
  return { intervalMinMs: Math.min(least, max ?? least), intervalMaxMs: max ?? least }
}

function limit(messages: Known): { readonly periodMs: number; readonly value: number } | undefined {
  const periodMs = periods[String(messages['limit_period'])]
  const value = positive(messages['limit_value'], 1)
  return periodMs === undefined || value === undefined ? undefined : { periodMs, value }
}

function workHours(messages: Known) {
  const startMinute = minuteOf(messages['work_hours_start'])
  const endMinute = minuteOf(messages['work_hours_end'])
  if (messages['work_hours_enabled'] !== true || startMinute === undefined || endMinute === undefined) return undefined
  return { startMinute, endMinute }
}

type Known = Readonly<Record<string, unknown>>

const minute = 60_000
const periods: Readonly<Record<string, number>> = {
  PerMinute: minute,
  Per30Minutes: 30 * minute,
  PerHour: 60 * minute,
  PerDay: 24 * 60 * minute,
}

function record(value: unknown): Known {
  const read = z.record(z.string(), z.unknown()).safeParse(value)
  return read.success ? read.data : {}
}

function positive(value: unknown, unit: number): number | undefined {
  return typeof value === 'number' && value > 0 ? value * unit : undefined
}

function choice<const Choices extends readonly string[]>(value: unknown, choices: Choices): Choices[number] {
  return choices.find((each) => each === value) ?? (choices[0] as Choices[number])
}

function minuteOf(value: unknown): number | undefined {
  const parts = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(String(value))
  return parts === null ? undefined : Number(parts[1]) * 60 + Number(parts[2])
}
