import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const CLIENT = 'apps/relay/src/store/generated/client.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-database-client-'))
  write('prisma/schema.prisma', 'model A {}')
  write('node_modules/prisma/package.json', '{"version":"1.0.0"}')
  prisma(`
    fs.appendFileSync('runs', '.')
    fs.mkdirSync('${dirname(CLIENT)}', { recursive: true })
    fs.copyFileSync('prisma/schema.prisma', '${CLIENT}')
    console.log('what nobody asked for')
  `)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('generates once, without output', async () => {
  expect(await generate()).toEqual({ code: 0, output: '' })
  expect(await generate()).toEqual({ code: 0, output: '' })
  expect(runs()).toBe(1)
})

test('generates again for another schema, for another generator, and when the client is missing', async () => {
  await generate()
  write('prisma/schema.prisma', 'model B {}')
  await generate()
  expect(readFileSync(join(root, CLIENT), 'utf8')).toBe('model B {}')
  write('node_modules/prisma/package.json', '{"version":"1.0.1"}')
  await generate()
  rmSync(join(root, dirname(CLIENT)), { recursive: true })
  await generate()
  expect(runs()).toBe(4)
})

test('two concurrent first starts generate once', async () => {
  expect((await Promise.all([generate(), generate()])).map(({ code }) => code)).toEqual([0, 0])
  expect(runs()).toBe(1)
})

test('a schema that Prisma rejects ends the command with the output of Prisma, and the next start tries again', async () => {
  prisma(`fs.appendFileSync('runs', '.'); console.error('line 7 is wrong'); process.exit(1)`)
  const { code, output } = await generate()
  expect(code).toBe(1)
  expect(output).toContain('line 7 is wrong')
  expect(output).toContain('smsgw: prisma generate failed: fix prisma/schema.prisma, then try again')
  await generate()
  expect(runs()).toBe(2)
})

test('does nothing without a schema', async () => {
  rmSync(join(root, 'prisma'), { recursive: true })
  expect(await generate()).toEqual({ code: 0, output: '' })
  expect(existsSync(join(root, 'runs'))).toBe(false)
})

/** Replaces Prisma's command. */
function prisma(code: string): void {
  write('node_modules/.bin/prisma', `#!${process.execPath}\nconst fs = require('node:fs')\n${code}\n`)
  chmodSync(join(root, 'node_modules/.bin/prisma'), 0o755)
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function runs(): number {
  return readFileSync(join(root, 'runs'), 'utf8').length
}

function generate(): Promise<{ code: number | null; output: string }> {
  const module = join(import.meta.dirname, 'bootstrap/database-client.cjs')
  const code = `require(${JSON.stringify(module)}).generateDatabaseClient(${JSON.stringify(root)})`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk
    })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}
