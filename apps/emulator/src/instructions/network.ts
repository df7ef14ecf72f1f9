import { z } from 'zod'
import { present } from '../present.ts'
import { type Instruction, instruction } from './instruction.ts'

const prefix = z.string().regex(/^\+?[0-9*#]{0,20}$/, 'must be the start of a number, for example +4477')
const delayMs = z.int().min(0).max(86_400_000)
const status = z.int().min(0).max(0xff)

export const latency = z.union([
  delayMs,
  z
    .strictObject({ minMs: delayMs, maxMs: delayMs })
    .refine(({ minMs, maxMs }) => minMs <= maxMs, 'minMs must not be greater than maxMs'),
])

export const operator = z.strictObject({
  name: z.string().min(1).max(24),
  shortName: z.string().min(1).max(10),
  numeric: z.string().regex(/^\d{5,6}$/, 'must be country and network code, for example 26202'),
})

export const coverage = z.strictObject({
  stat: z.literal([0, 1, 2, 3, 4, 5, 6, 7, 8, 11]).optional(),
  technology: z.enum(['gsm', 'edge', 'umts', 'hspa', 'lte', 'nr']).optional(),
  operator: operator.optional(),
  signalDbm: z.int().min(-113).max(-51).nullable().optional().meta({ description: 'null: unknown' }),
  bitErrorRate: z.int().min(0).max(99).optional(),
  areaCode: z.int().min(0).max(0xffff).optional(),
  cellId: z.int().min(0).max(0xfffffff).optional(),
})

/** Converts null in JSON to undefined, which means unknown to the network. */
export function coverageChange({ signalDbm, ...rest }: z.output<typeof coverage>) {
  const signal = signalDbm === undefined ? {} : { signalDbm: signalDbm ?? undefined }
  return { ...present(rest), ...signal }
}

const policyMembers = [
  z.strictObject({
    outcome: z.literal('delivered'),
    afterMs: delayMs.optional(),
    acceptAfterMs: delayMs.optional(),
    reply: z.union([z.literal('echo'), z.strictObject({ text: z.string().min(1).max(1_000) })]).optional(),
  }),
  z.strictObject({ outcome: z.literal('fails'), status: status.optional(), afterMs: delayMs.optional() }),
  z.strictObject({
    outcome: z.literal('delivered-late'),
    status: status.optional(),
    afterMs: delayMs.optional(),
    finallyAfterMs: delayMs.optional(),
  }),
  z.strictObject({ outcome: z.literal('silent') }),
  z.strictObject({ outcome: z.literal('expires'), afterMs: delayMs.optional() }),
  z.strictObject({
    outcome: z.literal('rejected'),
    cause: z.int().min(1).max(0xff),
    times: z.int().min(1).max(1_000).optional(),
  }),
  z.strictObject({ outcome: z.literal('answer-lost'), reportAfterMs: delayMs.optional() }),
] as const

export const policy = z.discriminatedUnion('outcome', policyMembers).transform((given) => present(given))

export interface UssdMenuText {
  text: string
  choices?: Record<string, UssdMenuText> | undefined
  otherwise?: UssdMenuText | undefined
}
export const ussdMenu: z.ZodType<UssdMenuText> = z.lazy(() =>
  z.strictObject({
    text: z.string().min(1).max(182),
    choices: z.record(z.string(), ussdMenu).optional(),
    otherwise: ussdMenu.optional(),
  }),
)
export const ussdCode = z.string().regex(/^[*#0-9]{1,20}$/, 'must be a code, for example *100#')

export const networkInstructions = {
  'set-coverage': instruction(
    'Set registration, technology, operator and signal of one SIM or of all',
    coverage.extend({
      to: z.string().optional().meta({ description: 'phone number of a SIM, or name of its modem; default: all SIMs' }),
    }),
    (world, { to, ...change }) => {
      world.network.setCoverage(to === undefined ? undefined : world.number(to), coverageChange(change))
      return {}
    },
  ),
  'set-latency': instruction(
    'Set the network delay of messages',
    z.strictObject({ latencyMs: latency }),
    (world, { latencyMs }) => {
      world.network.setLatency(latencyMs)
      return {}
    },
  ),
  'set-rule': instruction(
    'Set what happens to messages whose recipient number begins with a prefix; the longest matching prefix is used',
    z.strictObject({ prefix, policy }),
    (world, { prefix, policy }) => {
      world.network.setDeliveryPolicy(prefix, policy)
      return { rules: world.network.snapshot().policies }
    },
  ),
  'clear-rule': instruction(
    'Remove the rule for a prefix, or all rules',
    z.strictObject({ prefix: prefix.optional() }),
    (world, { prefix }) => {
      world.network.clearDeliveryPolicy(prefix)
      return { rules: world.network.snapshot().policies }
    },
  ),
  'set-ussd-menu': instruction(
    'Set the menu of a USSD code; null removes the menu',
    z.strictObject({ code: ussdCode, menu: ussdMenu.nullable() }),
    (world, { code, menu }) => {
      world.network.setUssdMenu(code, menu === null ? undefined : menuOf(menu))
      return { codes: world.network.snapshot().ussdCodes }
    },
  ),
} satisfies Record<string, Instruction>

interface Menu {
  readonly text: string
  readonly choices?: Readonly<Record<string, Menu>>
  readonly otherwise?: Menu
}

export function menuOf({ text, choices, otherwise }: UssdMenuText): Menu {
  return {
    text,
    ...(choices && { choices: Object.fromEntries(Object.entries(choices).map(([key, menu]) => [key, menuOf(menu)])) }),
    ...(otherwise && { otherwise: menuOf(otherwise) }),
  }
}
