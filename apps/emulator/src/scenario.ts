import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { firstProblem } from './first-problem.ts'
import { allInstructions } from './instructions/all-instructions.ts'
import { coverage, latency, operator, policy, ussdCode, ussdMenu } from './instructions/network.ts'
import { modemSetup, phoneNumber } from './modem-setup.ts'
import { DEEPEST_NESTING, isNestedTooDeeply } from './nesting.ts'
import { StartError } from './start-error.ts'

const steps = Object.entries(allInstructions).map(([name, { body }]) =>
  body.safeExtend({ do: z.literal(name), atMs: z.int().min(0).max(86_400_000) }),
)
const [firstStep, ...otherSteps] = steps as [(typeof steps)[number], ...typeof steps]
// The members are made from a table, so the compiler sees no more of them than this.
const step = z.discriminatedUnion('do', [firstStep, ...otherSteps]) as unknown as z.ZodType<ScenarioStep>

/** An instruction and its time; what else it says has passed the schema of the instruction. */
export interface ScenarioStep {
  readonly do: string
  readonly atMs: number
  readonly [key: string]: unknown
}

/** A world to start with and what happens in it. */
const scenarioSchema = z
  .strictObject({
    about: z.string().optional(),
    modems: z.array(modemSetup).min(1, 'must name at least one modem').max(64),
    network: z
      .strictObject({
        latencyMs: latency.optional(),
        serviceCentre: phoneNumber.optional(),
        zoneQuarters: z.int().min(-79).max(79).optional(),
        operator: operator.optional(),
        coverage: coverage.optional(),
        signalWanderDb: z.int().min(0).max(20).optional(),
        rules: z.array(z.strictObject({ prefix: z.string(), policy })).default([]),
        ussd: z.record(ussdCode, ussdMenu).default({}),
      })
      .default({ rules: [], ussd: {} }),
    /** In milliseconds from the start; in any order. */
    steps: z.array(step).default([]),
  })
  .superRefine(({ modems, steps }, context) => {
    const names = modems.map(({ name }, index) => name ?? `modem${index}`)
    for (const [index, step] of steps.entries()) {
      for (const key of ['modem', 'to']) {
        const name = step[key]
        // A number may be that of a card which a step before puts in.
        if (typeof name !== 'string' || name.startsWith('+') || names.includes(name)) continue
        const message = `no modem is called ${name}; there are ${names.join(', ')}`
        context.addIssue({ code: 'custom', path: ['steps', index, key], message })
      }
    }
  })
export type Scenario = z.infer<typeof scenarioSchema>

/** A problem names the file and the place in it: `demo.json: steps[2].text: …`. */
export function readScenario(file: string): Scenario {
  const refuse = (problem: string) => new StartError(`scenario: ${file}: ${problem}`)
  let json: unknown
  try {
    // Some editors put a mark in front.
    json = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    throw refuse((error as Error).message)
  }
  if (isNestedTooDeeply(json)) throw refuse(`is nested deeper than ${DEEPEST_NESTING} levels`)
  const result = scenarioSchema.safeParse(json)
  if (result.success) return result.data
  const { path, problem } = firstProblem(result.error)
  throw refuse(`${path}${path && ': '}${problem}`)
}
