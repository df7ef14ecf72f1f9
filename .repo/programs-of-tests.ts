// Vitest runs this once before the tests of an app that start whole programs. The programs run from bundles, which
// start in half the time of sources.
import { basename, dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type BuiltProgram, buildPrograms } from './built-programs.ts'

const ALL: readonly BuiltProgram[] = ['agent', 'emulator', 'gateway', 'relay']
/** The programs that the unit tests of an app start. Building the others would take seconds. */
const OF_UNIT_TESTS: Readonly<Record<string, readonly BuiltProgram[]>> = {
  agent: ['agent', 'emulator'],
  gateway: ['relay'],
}

/** @public the configuration of the tests contains the path of this file */
export default async function setup({ config, vite }: TestProject): Promise<void> {
  const programs = vite.config.mode === 'e2e' ? ALL : (OF_UNIT_TESTS[basename(config.root)] ?? ALL)
  const built: Partial<Record<BuiltProgram, string>> = await buildPrograms(programs)
  for (const [program, main] of Object.entries(built)) process.env[`TESTED_${program.toUpperCase()}`] = main
  if (built.agent !== undefined) process.env['TESTED_MODEM_TOOL'] = join(dirname(built.agent), 'modem-tool.js')
}
