import type { z } from 'zod'
import type { World } from '../world.ts'

/** Something that can be done to the emulated world, by a step of a scenario or over HTTP alike. */
export interface Instruction {
  readonly about: string
  readonly body: z.ZodObject
  /** What it returns is what the caller is told. `input` must have passed `body`. */
  run(world: World, input: unknown): object
}

/** Ties what is checked to what is run. */
export function instruction<Body extends z.ZodObject>(
  about: string,
  body: Body,
  run: (world: World, input: z.output<Body>) => object,
): Instruction {
  return { about, body, run: (world, input) => run(world, input as z.output<Body>) }
}

/** An instruction that is well formed and cannot be followed. */
export class InstructionRefused extends Error {
  override readonly name = 'InstructionRefused'
  readonly code: 'unknown-modem' | 'unknown-number' | 'not-possible'

  constructor(code: InstructionRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** A sender of twelve letters, a text of 300 parts: the codec says why it cannot be. */
export function encodable<T>(send: () => T): T {
  try {
    return send()
  } catch (error) {
    throw new InstructionRefused('not-possible', (error as Error).message)
  }
}
