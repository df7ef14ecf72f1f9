// `node .repo/build-programs.ts <pid>`: bundles all programs if their sources have changed, and prints
// their main scripts as JSON. `pid` is the process that will start the programs.
import { buildPrograms, bundled } from './built-programs.ts'

const programs = await buildPrograms(bundled, Number(process.argv[2] ?? process.pid))
process.stdout.write(`${JSON.stringify(programs)}\n`)
