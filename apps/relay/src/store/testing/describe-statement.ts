import { Client } from 'pg'
import { z } from 'zod'
import type { Statements } from '../database.ts'
import { Prisma } from '../generated/client.ts'

/** A statement that was run, with the schema of its rows if it has one. */
export interface RunStatement {
  readonly sql: Prisma.Sql & { readonly row?: z.ZodObject }
  /** The schema; undefined for a statement that only returns the number of changed rows. */
  readonly rows: readonly unknown[] | undefined
}

/** Returns a client that runs statements in the database and records the raw SQL statements. */
export function recordStatements(statements: Statements, ran: RunStatement[]): Statements {
  return new Proxy(statements, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (name === '$transaction') return (work: (inner: Statements) => unknown) => work(recordStatements(target, ran))
      if (name !== '$queryRaw' && name !== '$executeRaw') return member
      return async (text: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) => {
        const sql = 'raw' in text ? Prisma.sql(text, ...values) : text
        const result = await (member as (sql: Prisma.Sql) => Promise<unknown>).call(target, sql)
        ran.push({ sql, rows: name === '$queryRaw' ? (result as unknown[]) : undefined })
        return result
      }
    },
  })
}

/** A column of a result as the database reports it. */
export interface Column {
  readonly name: string
  /** The name of the type. For an array: the type of its elements. */
  readonly type: string
  readonly isArray: boolean
  /** The labels of an enum type. */
  readonly labels: readonly string[]
  /** True if this is a table column that may contain null. */
  readonly isNullable: boolean
}

/** Returns the columns of a query as the database reports them. Runs the query and rolls it back. */
export async function columnsOf(url: string, sql: Prisma.Sql): Promise<Column[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('BEGIN')
    const { fields } = await client.query({ text: sql.text, values: [...sql.values], rowMode: 'array' })
    await client.query('ROLLBACK')
    const { rows } = await client.query<Omit<Column, 'name'>>(COLUMNS, [
      fields.map(({ dataTypeID }) => dataTypeID),
      fields.map(({ tableID }) => tableID),
      fields.map(({ columnID }) => columnID),
    ])
    return rows.map((row, index) => ({ ...row, name: fields[index]?.name ?? '' }))
  } finally {
    await client.end()
  }
}

const COLUMNS = `
  SELECT coalesce(e.typname, t.typname) AS type, e.oid IS NOT NULL AS "isArray",
    ARRAY(SELECT enumlabel::text FROM pg_enum WHERE enumtypid IN (t.oid, e.oid) ORDER BY enumsortorder) AS labels,
    a.attnotnull IS FALSE AS "isNullable"
  FROM unnest($1::oid[], $2::oid[], $3::int[]) WITH ORDINALITY AS field (type, "table", "column", position)
  JOIN pg_type t ON t.oid = field.type
  LEFT JOIN pg_type e ON e.oid = t.typelem AND t.typcategory = 'A'
  LEFT JOIN pg_attribute a ON a.attrelid = field."table" AND a.attnum = field."column"
  ORDER BY field.position`

/** Returns the differences between the columns of a query and the schema of its rows. */
export function differences(columns: readonly Column[], row: z.ZodObject): string[] {
  const names = columns.map(({ name }) => name)
  return [
    ...names.filter((name) => !(name in row.shape)).map((name) => `${name} is not in the schema`),
    ...Object.keys(row.shape)
      .filter((name) => !names.includes(name))
      .map((name) => `${name} is not a column`),
    ...columns.flatMap((column) => differenceOf(column, row.shape[column.name])),
  ]
}

function differenceOf(column: Column, schema: z.core.$ZodType | undefined): string[] {
  if (!(schema instanceof z.ZodType)) return []
  const { name, isNullable } = column
  const value = withoutNull(schema)
  if (isNullable && !schema.safeParse(null).success) return [`${name} may be null`]
  if (!column.isArray) return matches(column, value) ? [] : [`${name} has the type ${column.type}`]
  const isMatch = value instanceof z.ZodArray && matches(column, value.element as z.ZodType)
  return isMatch ? [] : [`${name} has the type ${column.type}[]`]
}

/** Ignores null, because an outer join may make any column null. */
function withoutNull(schema: z.ZodType): z.ZodType {
  const isWrapper = schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly
  return isWrapper ? withoutNull(schema.unwrap() as z.ZodType) : schema
}

function matches({ type, labels }: Column, schema: z.ZodType): boolean {
  if (labels.length > 0) return schema instanceof z.ZodEnum && `${schema.options.toSorted()}` === `${labels.toSorted()}`
  const accepts = (value: unknown) => schema.safeParse(value).success
  switch (type) {
    case 'text':
      return schema instanceof z.ZodString || schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral
    case 'int2':
    case 'int4':
      return accepts(1) && !accepts(0.5)
    case 'float8':
      return accepts(0.5) && !accepts('')
    case 'int8':
      return schema instanceof z.ZodBigInt
    case 'bool':
      return schema instanceof z.ZodBoolean
    case 'timestamptz':
      return schema instanceof z.ZodDate
    case 'bytea':
      return accepts(new Uint8Array()) && !accepts('')
    case 'json':
    case 'jsonb':
      return JSON_SCHEMAS.some((kind) => schema instanceof kind)
    default:
      return false
  }
}

const JSON_SCHEMAS = [z.ZodObject, z.ZodArray, z.ZodRecord, z.ZodUnknown, z.ZodCustom]
