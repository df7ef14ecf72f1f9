// `node .repo/build-programs.ts <pid>`: bundles all programs of the present sources for a process that starts them, unless they
// are bundled already, and prints their main scripts as JSON.
import { buildPrograms, keepPrograms } from './built-programs.ts'

const programs = await buildPrograms()
keepPrograms(Number(process.argv[2] ?? process.pid))
process.stdout.write(`${JSON.stringify(programs)}\n`)
