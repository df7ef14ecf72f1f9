import { readFileSync } from 'node:fs'
import { StartError } from '@smsgw/daemon/start-error'
import type { Clock } from '@smsgw/virtual-modem/clock'
import { z } from 'zod'
import { allInstructions } from '../instructions/all-instructions.ts'
import { coverage, latency, operator, policy, ussdCode, ussdMenu } from '../instructions/network.ts'
import { DEEPEST_NESTING, firstProblem, isNestedTooDeeply } from '../options/check-input.ts'
import { modemSetup, subscriberNumber } from '../options/modem-setup.ts'
import type { World } from '../world.ts'

const steps = Object.entries(allInstructions).map(([name, { body }]) =>
  body.safeExtend({ do: z.literal(name), atMs: z.int().min(0).max(86_400_000) }),
)
const [firstStep, ...otherSteps] = steps as [(typeof steps)[number], ...typeof steps]
// The members of the union are created from a table, so the compiler cannot infer a more precise type.
const step = z.discriminatedUnion('do', [firstStep, ...otherSteps]) as unknown as z.ZodType<ScenarioStep>

/** An instruction (`do`) with its time. The other members are its parameters, which the schema has checked. */
export interface ScenarioStep {
  readonly do: string
  readonly atMs: number
  readonly [key: string]: unknown
}

/** Modems, network and timed steps. */
const scenarioSchema = z
  .strictObject({
    about: z.string().optional(),
    modems: z.array(modemSetup).min(1, 'must name at least one modem').max(64),
    network: z
      .strictObject({
        latencyMs: latency.optional(),
        serviceCentre: subscriberNumber.optional(),
        zoneQuarters: z.int().min(-79).max(79).optional(),
        operator: operator.optional(),
        coverage: coverage.optional(),
        signalWanderDb: z.int().min(0).max(20).optional(),
        rules: z.array(z.strictObject({ prefix: z.string(), policy })).default([]),
        ussd: z.record(ussdCode, ussdMenu).default({}),
      })
      .default({ rules: [], ussd: {} }),
    /** The steps, in any order. Their times are in milliseconds from the start. */
    steps: z.array(step).default([]),
  })
  .superRefine(({ modems, steps }, context) => {
    const names = modems.map(({ name }, index) => name ?? `modem${index}`)
    for (const [index, step] of steps.entries()) {
      for (const key of ['modem', 'to']) {
        const name = step[key]
        // An earlier step may insert the SIM with this number.
        if (typeof name !== 'string' || name.startsWith('+') || names.includes(name)) continue
        const message = `no modem has the name ${name}; the modems are ${names.join(', ')}`
        context.addIssue({ code: 'custom', path: ['steps', index, key], message })
      }
    }
  })
export type Scenario = z.infer<typeof scenarioSchema>

/** Reads a scenario. Errors begin with the file and the path in the file: `demo.json: steps[2].text: …`. */
export function readScenario(file: string): Scenario {
  const refuse = (problem: string) => new StartError(`scenario: ${file}: ${problem}`)
  let json: unknown
  try {
    // Some editors write a byte order mark.
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

export interface RunningSteps {
  stop(): void
}

/** Runs each step at its time, counted from now. A failed step is reported, and the other steps continue. */
export function runSteps(
  steps: readonly ScenarioStep[],
  world: World,
  clock: Clock,
  onStep: (step: ScenarioStep, error?: Error) => void,
): RunningSteps {
  const timers = steps.map((step) => clock.after(step.atMs, () => runStep(step, world, onStep)))
  return { stop: () => timers.forEach((timer) => void timer.cancel()) }
}

function runStep(step: ScenarioStep, world: World, onStep: (step: ScenarioStep, error?: Error) => void): void {
  const { do: name, atMs: _atMs, ...input } = step
  try {
    allInstructions[name]?.run(world, input)
    onStep(step)
  } catch (error) {
    onStep(step, error as Error)
  }
}
