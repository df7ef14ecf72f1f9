// The configuration of Prisma's command line, which only developers use. Only checks of the schema need a database.
export default {
  schema: '../prisma/schema.prisma',
  migrations: { path: '../prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://127.0.0.1:5432/postgres' },
}
