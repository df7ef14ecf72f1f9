import type { z } from 'zod'
import type { World } from '../world.ts'

/** An action on modems and network. A scenario step or an HTTP request runs it. */
export interface Instruction {
  readonly about: string
  readonly body: z.ZodObject
  /** Returns the answer to the caller. `input` must be valid for `body`. */
  run(world: World, input: unknown): object
}

/** Creates an instruction whose input type follows from its schema. */
export function instruction<Body extends z.ZodObject>(
  about: string,
  body: Body,
  run: (world: World, input: z.output<Body>) => object,
): Instruction {
  return { about, body, run: (world, input) => run(world, input as z.output<Body>) }
}

/** The instruction is valid, but cannot be executed. */
export class InstructionRefused extends Error {
  override readonly name = 'InstructionRefused'
  readonly code: 'unknown-modem' | 'unknown-number' | 'not-possible'

  constructor(code: InstructionRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Runs a function of the codec. Converts an error, such as a sender of twelve letters, to a refusal. */
export function encodable<T>(send: () => T): T {
  try {
    return send()
  } catch (error) {
    throw new InstructionRefused('not-possible', (error as Error).message)
  }
}
