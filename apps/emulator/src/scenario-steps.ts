import type { Clock } from '@smsgw/virtual-modem/clock'
import { allInstructions } from './instructions/all-instructions.ts'
import type { ScenarioStep } from './scenario.ts'
import type { World } from './world.ts'

export interface RunningSteps {
  stop(): void
}

/** Each step at its time, counted from now. A step that cannot be done is told and the others go on. */
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
