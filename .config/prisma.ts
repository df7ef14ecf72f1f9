// For Prisma's command line, which developers use; the relay itself reads no configuration of Prisma's.
// Only the schema's checks need a database (README, "The database").
export default {
  schema: '../prisma/schema.prisma',
  migrations: { path: '../prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://127.0.0.1:5432/postgres' },
}
