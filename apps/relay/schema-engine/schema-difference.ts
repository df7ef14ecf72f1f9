import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import { Pool } from 'pg'

const SCHEMA = resolve(import.meta.dirname, '../../../prisma/schema.prisma')

/**
 * Returns the SQL that changes the database to match `schema.prisma`, or an empty string if they match. Uses the engine
 * of `prisma migrate` as WebAssembly, because the command line of Prisma would download a native program. The engine
 * ignores features that Prisma's schema lacks, such as partial indexes and storage settings.
 */
export async function schemaDifference(url: string): Promise<string> {
  const { SchemaEngine } = await loadEngine()
  const files = [{ path: SCHEMA, content: readFileSync(SCHEMA, 'utf8') }]
  const pool = new Pool({ connectionString: url, max: 1 })
  try {
    const engine = await SchemaEngine.new({ datamodels: undefined }, () => undefined, adapterFactory(pool))
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: ['public._prisma_migrations'], externalEnums: [] },
    })
    const sql = (stdout ?? '').trim()
    return /^-- This is an empty migration\.?$/.test(sql) ? '' : sql
  } finally {
    await pool.end()
  }
}

const require = createRequire(import.meta.url)

type Engine = typeof import('@prisma/schema-engine-wasm/schema_engine_bg')

let loaded: Promise<Engine> | undefined

/** Loads one engine per process, because a second engine would use the memory of the first. */
function loadEngine(): Promise<Engine> {
  loaded ??= instantiate()
  return loaded
}

/** Declared here, because the types of Node do not contain it. */
declare const WebAssembly: {
  instantiate(code: Buffer, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>
}

async function instantiate(): Promise<Engine> {
  const glue = require.resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const engine: Engine & { __wbg_set_wasm(exports: object): void } = await import(glue)
  const code = readFileSync(glue.replace(/\.js$/, '.wasm'))
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': engine })
  engine.__wbg_set_wasm(instance.exports)
  const { __wbindgen_start: start } = instance.exports
  if (typeof start === 'function') start()
  return engine
}

/**
 * The type "char" of PostgreSQL's catalogues. The engine reads columns of this type, but the adapter does not support
 * it.
 */
const CHAR = 18
const TEXT = 25
const CHARACTER = 6

function adapterFactory(pool: Pool): object {
  let charColumns: boolean[] = []
  const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<{ fields: { dataTypeID: number }[] }>
  const patchedQuery = async (...args: unknown[]) => {
    const result = await query(...args)
    charColumns = result.fields.map(({ dataTypeID }) => dataTypeID === CHAR)
    for (const field of result.fields) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT
    return result
  }
  Object.assign(pool, { query: patchedQuery })
  const factory = new PrismaPg(pool)
  const connect = factory.connect.bind(factory)
  factory.connect = async () => {
    const adapter = await connect()
    const queryRaw = adapter.queryRaw.bind(adapter)
    adapter.queryRaw = async (asked) => {
      const answer = await queryRaw(asked)
      const columnTypes = answer.columnTypes.map((type, index) => (charColumns[index] ? CHARACTER : type))
      return { ...answer, columnTypes }
    }
    return adapter
  }
  // `@prisma/driver-adapter-utils` is a dependency of the adapter and not of the relay, so the adapter must resolve it.
  const utilities = createRequire(require.resolve('@prisma/adapter-pg'))('@prisma/driver-adapter-utils')
  return utilities.bindMigrationAwareSqlAdapterFactory(factory)
}
