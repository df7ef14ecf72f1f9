// Helpers for tests of reassembly: parts, ticks, and a short form of the effects.
import { addressFromText } from '../fields/address.ts'
import { type InvalidTimeStamp, type TimeStamp, timeStampFromEpochMs } from '../fields/time-stamp.ts'
import { type Concatenation, concatenationElement, userDataHeaderOf } from '../fields/user-data-header.ts'
import { septetsFromText } from '../text/gsm7-alphabet.ts'
import {
  defaultReassemblyLimits,
  emptyReassembly,
  nextReassembly,
  type ReassemblyEffect,
  type ReassemblyInput,
  type ReassemblyLimits,
} from './reassemble.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
const NOON = Date.UTC(2026, 2, 1, 12)

export interface Written {
  readonly id?: string
  readonly of?: number
  readonly sent?: number
  readonly stamp?: TimeStamp | InvalidTimeStamp
  readonly sender?: string
  readonly sim?: string
  readonly reference?: number
  readonly width?: 8 | 16
}

/**
 * Returns the arrival of the part with the number `sequence` of a message with `of` parts (default 2). The part was
 * submitted `sent` ms after noon and arrives `atMs` ms after noon.
 */
export function part(sequence: number, text: string, atMs: number, written: Written = {}): ReassemblyInput {
  const { of: total = 2, sent = 0, sender = '+447700900123', sim = 'sim', reference = 7, width = 8 } = written
  const concatenation: Concatenation = { width, reference, total, sequence }
  return {
    kind: 'part-arrived',
    partId: written.id ?? `${text}@${sent}`,
    sim,
    sender: addressFromText(sender),
    concatenation,
    userData: {
      alphabet: 'gsm7',
      header: userDataHeaderOf([concatenationElement(concatenation)]),
      units: septetsFromText(text)!,
    },
    dataCodingScheme: 0,
    protocolIdentifier: 0,
    serviceCentreTimeStamp: written.stamp ?? timeStampFromEpochMs(NOON + sent, 4),
    atMs: NOON + atMs,
  }
}

export const tick = (nowMs: number): ReassemblyInput => ({ kind: 'clock-ticked', nowMs: NOON + nowMs })

export function runReassembly(inputs: readonly ReassemblyInput[], limits: Partial<ReassemblyLimits> = {}) {
  let state = emptyReassembly
  const effects: ReassemblyEffect[] = []
  for (const input of inputs) {
    const step = nextReassembly(state, input, { ...defaultReassemblyLimits, ...limits })
    state = step.state
    effects.push(...step.effects)
  }
  return { state, effects }
}

/** A short form of the effects: `=text`, `~partial`, `copy<original`. */
export const summariesOf = (effects: readonly ReassemblyEffect[]) =>
  effects.map((effect) => {
    if (effect.kind === 'part-duplicated') return `${effect.partId}<${effect.originalPartId}`
    return `${effect.kind === 'message-completed' ? '=' : '~'}${effect.message.text}`
  })
export const summaryAfter = (inputs: readonly ReassemblyInput[], limits?: Partial<ReassemblyLimits>) =>
  summariesOf(runReassembly(inputs, limits).effects)
export const ids = (effects: readonly ReassemblyEffect[]) =>
  effects.flatMap((effect) => (effect.kind === 'part-duplicated' ? [] : [effect.groupId]))
