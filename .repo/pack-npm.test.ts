import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checksumOf } from './release/build-release.ts'

const root = resolve(import.meta.dirname, '..')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-pack-npm-'))
  for (const build of ['one', 'other'])
    execFileSync(process.execPath, [join(root, '.repo/pack-npm.ts'), 'packages/client', '--into', join(folder, build)])
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('two builds of an npm package are identical', () => {
  const [name = ''] = readdirSync(join(folder, 'one'))
  expect(name).toMatch(/^smsgw-client-\d+\.\d+\.\d+\.tgz$/)
  expect(checksumOf(join(folder, 'one', name))).toBe(checksumOf(join(folder, 'other', name)))
})

test('the package runs and type-checks without the repository, and contains no tests and no dependencies', () => {
  const [name = ''] = readdirSync(join(folder, 'one'))
  const installed = join(folder, 'node_modules/@smsgw/client')
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, 'one', name), '--strip-components=1', '-C', installed])
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'dist/client.js', 'dist/openapi.d.ts']))
  expect(files.filter((file) => /test|(?<!\.d)\.ts$/.test(file))).toEqual([])
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('devDependencies')

  const program = `
    import { SmsGateway } from '@smsgw/client'
    import { NotFoundError } from '@smsgw/client/errors'
    import { verifyWebhook, type WebhookEvent } from '@smsgw/client/webhook'
    import { fetchReceiver } from '@smsgw/client/webhook-receiver'
    const sms = new SmsGateway({ url: 'https://sms.example.org', credentials: { apiKey: 'key' } })
    const text = (event: WebhookEvent) => (event.event === 'sms:received' ? event.payload.message : undefined)
    console.log([sms.messages, NotFoundError, verifyWebhook, fetchReceiver, text].map((one) => typeof one).join(' '))
  `
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'program.ts'), program)
  expect(execFileSync(process.execPath, ['program.ts'], { cwd: folder, encoding: 'utf8' })).toBe(
    'object function function function function\n',
  )
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom']
  const tsc = join(root, 'node_modules/.bin/tsc')
  expect(execFileSync(tsc, [...options, 'program.ts'], { cwd: folder, encoding: 'utf8' })).toBe('')
})

test.each([
  ['node-red', ['dist/smsgw.js', 'dist/smsgw.html', 'dist/icons/smsgw.svg', 'examples/send-and-receive.json']],
  ['n8n-nodes-smsgw', ['dist/nodes/Smsgw/Smsgw.node.js', 'dist/nodes/SmsgwTrigger/SmsgwTrigger.node.js']],
])('the package of %s contains the files that its manifest names, and loads without dependencies', (name, files) => {
  const into = join(folder, name)
  execFileSync(process.execPath, [join(root, '.repo/pack-npm.ts'), `packages/${name}`, '--into', into])
  const [file = ''] = readdirSync(into)
  execFileSync('tar', ['-xzf', join(into, file), '--strip-components=1', '-C', into])
  const manifest = JSON.parse(readFileSync(join(into, 'package.json'), 'utf8'))
  for (const key of ['dependencies', 'devDependencies', 'scripts', 'bundle']) expect(manifest).not.toHaveProperty(key)
  const named: string[] = [
    manifest['node-red']?.nodes ?? {},
    manifest.n8n?.nodes ?? [],
    manifest.n8n?.credentials ?? [],
  ].flatMap((each) => Object.values(each as object))
  const published = readdirSync(into, { recursive: true, encoding: 'utf8' })
  expect(published).toEqual(expect.arrayContaining([...files, ...named, 'README.md', 'LICENSE']))
  for (const path of named) {
    const program = `console.log(Object.keys(require(${JSON.stringify(join(into, path))})).join() || 'function')`
    const exported = execFileSync(process.execPath, ['--eval', program], { encoding: 'utf8', cwd: into }).trim()
    expect(exported).toBe(name === 'node-red' ? 'function' : path.split('/').at(-1)?.split('.')[0])
  }
})
