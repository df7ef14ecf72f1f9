import type { CommandTable } from '../commands/command.ts'
import type { PersonalityTraits } from '../equipment/personality-traits.ts'

/** A modem family, as data and a few small functions. To add a family, add an object of this type to the catalogue. */
export interface Personality extends PersonalityTraits {
  /** `quectel-ec25`; also the name of its file. */
  readonly name: string
  readonly title: string
  /** `web`: the host talks to a web interface, not to a port with AT commands. Default: `at`. */
  readonly host?: 'at' | 'web'
  /** The commands that only this family has. These commands replace general commands of the same name. */
  readonly commands: CommandTable
  /** The general commands that this family does not have. */
  readonly lacks: readonly string[]
}
