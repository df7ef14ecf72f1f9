import { z } from 'zod'

/** What the help says of an option, and the example that an error shows. */
export interface OptionAbout {
  readonly about: string
  readonly example: string
  readonly several?: boolean
}

export const optionAbouts = z.registry<OptionAbout>()

export function option<S extends z.ZodType>(schema: S, about: OptionAbout): S {
  optionAbouts.add(schema, about)
  return schema
}
