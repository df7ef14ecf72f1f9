import type { CommandTable } from '../commands/command.ts'
import type { PersonalityTraits } from '../equipment/personality-traits.ts'

/** A modem family: data and a few small functions. A new family is one more object of this shape in the catalogue. */
export interface Personality extends PersonalityTraits {
  /** `quectel-ec25`; also the name of its file. */
  readonly name: string
  readonly title: string
  /** `web`: the host talks to a web interface, not to a port with AT commands. Default: `at`. */
  readonly host?: 'at' | 'web'
  /** Commands of this family alone; they replace general ones of the same name. */
  readonly commands: CommandTable
  /** General commands that this family does not have. */
  readonly lacks: readonly string[]
}
