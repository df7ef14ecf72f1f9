import type { Gateway } from '../src/house/gateway.ts'
import type { DebianPrograms } from './programs/debian-programs.ts'
import type { NpmProgram } from './programs/npm-program.ts'
import type { PythonProgram } from './programs/python-program.ts'

export interface Recipient {
  /** An API key that can send only to `number`. */
  readonly key: string
  readonly number: string
  /** The texts that were accepted for the number, oldest first. */
  texts(): Promise<string[]>
}

export interface ProofWorld {
  readonly programs: DebianPrograms
  /** The programs of one package from npm. */
  readonly npm: NpmProgram
  /** The packages from PyPI. */
  readonly python: PythonProgram
  /** The running gateway. A step may replace it with `restart`. */
  readonly gateway: () => Gateway
  /** Kills the gateway, waits for `meanwhile`, and starts the gateway again with the same address and data. */
  restart(meanwhile: () => Promise<void>): Promise<void>
  /** Creates an API key for a number that no other step uses. */
  newRecipient(): Promise<Recipient>
  /** A folder for files of the programs. */
  readonly folder: string
  /** Called at the end, also after a failure. */
  onEnd(end: () => Promise<void>): void
}

/** A program that sends messages through the gateway. */
export interface BridgeProof {
  readonly subject: string
  /** Debian packages of the program. Empty if the program is not a Debian package. */
  readonly packages: readonly string[]
  /** Name and version of a program on npm, instead of Debian packages. */
  readonly npm?: string
  /** Names and versions of packages on PyPI, instead of Debian packages. */
  readonly pypi?: readonly string[]
  /** Each step throws when the program did not work as expected. */
  readonly steps: readonly (readonly [name: string, run: (world: ProofWorld) => Promise<void>])[]
}

export function expectTexts(actual: readonly string[], expected: readonly string[]): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected))
    throw new Error(`expected ${JSON.stringify(expected)}, but the messages are ${JSON.stringify(actual)}`)
}
