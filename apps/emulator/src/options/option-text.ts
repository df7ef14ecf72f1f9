import { z } from 'zod'
import { firstProblem } from './check-input.ts'
import { faultFromText, faultSettings } from './fault-settings.ts'
import { modemSetup } from './modem-setup.ts'

export function path() {
  return z.string().min(1, 'must not be empty')
}

export function noneOr<S extends z.ZodType>(schema: S) {
  return z.union([z.literal('none'), schema])
}

export function latencyText() {
  return z.string().transform((text, context) => {
    const match = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text)
    const minMs = Number(match?.[1])
    const maxMs = Number(match?.[2] ?? match?.[1])
    if (match !== null && minMs <= maxMs) return { minMs, maxMs }
    context.addIssue({ code: 'custom', message: `"${text}" is neither milliseconds nor a range such as 2000-4000` })
    return z.NEVER
  })
}

/** Parses `name=modem1,number=+447700900002,pty=./m2`: fields of a modem and its SIM. */
export function modemText() {
  return z.string().transform((text, context) => {
    const parts = Object.fromEntries(
      text.split(',').map((pair) => {
        const [key = '', ...value] = pair.split('=')
        return [key.trim(), value.join('=')]
      }),
    )
    const { number, iccid, imsi, pin, puk, ...rest } = parts
    const card = Object.fromEntries(
      Object.entries({ number, iccid, imsi, pin, puk }).filter(([, value]) => value !== undefined),
    )
    const sim = Object.keys(card).length > 0 ? { sim: card } : {}
    const result = modemSetup.safeParse({ ...rest, ...sim })
    if (result.success) return result.data
    const { path: where, problem } = firstProblem(result.error)
    context.addIssue({ code: 'custom', message: `${where.replace('sim.', '')}${where && ': '}${problem}` })
    return z.NEVER
  })
}

export function faultOption() {
  return z.string().transform((text, context) => {
    const result = faultSettings.safeParse(faultFromText(text))
    if (result.success) return result.data
    const { path: where, problem } = firstProblem(result.error)
    context.addIssue({ code: 'custom', message: `${where}${where && ': '}${problem}` })
    return z.NEVER
  })
}
