import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

type Program = 'agent' | 'bridge' | 'emulator' | 'gateway' | 'relay' | 'smsgw'

const script = fileURLToPath(new URL('../../../../../.repo/build-programs.ts', import.meta.url))

/** The test run builds the programs once for all its workers. */
const BUILT = 'SMSGW_TESTED_PROGRAMS'
process.env[BUILT] ??= execFileSync(process.execPath, [script, String(process.pid)], { encoding: 'utf8' })

/** The main scripts of the programs, which are the bundles that `npm start` runs and that packages contain. */
export const mainScripts: Readonly<Record<Program, string>> = JSON.parse(process.env[BUILT])
