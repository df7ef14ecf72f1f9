import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { credentialsIn, Gateway } from './house/gateway.ts'
import { House } from './house/house.ts'
import { ROOT } from './house/process.ts'

const CLIENTS = ['openapi-fetch', 'hey-api']
const NUMBER = '+447400100001'

interface Place {
  readonly url: string
  readonly user: { readonly username: string; readonly password: string }
  stop(): Promise<void>
}

const modes = [
  { mode: 'a cloud relay', start: startCloud },
  { mode: 'a gateway in Local Server mode', start: startLocal },
]

for (const { mode, start } of modes) {
  describe(`programs of others against ${mode}`, () => {
    let place: Place
    let folder: string

    beforeAll(async () => {
      place = await start()
      // Inside the repository: the programs import packages of it.
      mkdirSync(join(ROOT, '.cache'), { recursive: true })
      folder = mkdtempSync(join(ROOT, '.cache/clients-'))
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(strict))
      writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${place.url}/api/docs/doc.json`)).text())
      run('openapi-typescript', ['openapi.json', '--output', 'schema.ts'])
      run('openapi-ts', ['--input', 'openapi.json', '--output', 'hey-api', '--client', '@hey-api/client-fetch'])
      for (const name of CLIENTS)
        copyFileSync(join(ROOT, `apps/e2e/clients/${name}.ts.txt`), join(folder, `${name}.ts`))
    })

    afterAll(async () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
      await place?.stop()
    })

    test('generated clients fit their types', () => {
      expect(run('tsc', ['--project', 'tsconfig.json'])).toBe('')
    })

    test.each(CLIENTS)('a client that %s generates sends, reads and understands refusals', (name) => {
      run('esbuild', [`${name}.ts`, '--bundle', '--platform=node', '--format=esm', `--outfile=${name}.mjs`])
      const { username, password } = place.user
      const said = execFileSync(
        process.execPath,
        [join(folder, `${name}.mjs`), place.url, `${username}:${password}`, NUMBER],
        { encoding: 'utf8' },
      )
      expect(JSON.parse(said)).toEqual({
        echo: 'from a generated client',
        location: true,
        found: [NUMBER],
        listed: 1,
        unknown: 404,
        removed: 204,
        health: expect.stringMatching(/^(pass|warn)$/),
        catalog: '/openapi.json',
      })
    })

    test("requests as Java's HttpClient writes them are answered, bodies and pipelining included", async () => {
      const { hostname, port, host } = new URL(place.url)
      const { username, password } = place.user
      const body = JSON.stringify({ phoneNumbers: [NUMBER], textMessage: { text: 'from Java' } })
      const head = (line: string, length?: number) =>
        [
          `${line} HTTP/1.1`,
          'Connection: Upgrade, HTTP2-Settings',
          ...(length === undefined ? [] : [`Content-Length: ${length}`]),
          `Host: ${host}`,
          'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
          'Upgrade: h2c',
          'User-Agent: Java-http-client/21.0.5',
          `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
          'Content-Type: application/json',
          '\r\n',
        ].join('\r\n')
      const socket = connect(Number(port), hostname)
      const answers = text(socket)
      socket.write(head('GET /health'))
      socket.write(head('POST /3rdparty/v1/messages', body.length))
      socket.write(body)
      socket.write(`${head('GET /3rdparty/v1/devices')}${head('POST /3rdparty/v1/messages', body.length)}${body}`)
      socket.write(`GET /nothing HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      const statuses = [...(await answers).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
      expect(statuses).toEqual([200, 202, 200, 202, 404])
    })

    function run(program: string, args: readonly string[]): string {
      const bin = program.startsWith('openapi') ? 'apps/e2e/node_modules/.bin' : 'node_modules/.bin'
      return execFileSync(join(ROOT, bin, program), args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
    }
  })
}

const strict = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  },
}

async function startCloud(): Promise<Place> {
  const house = await House.start({ modems: [{ number: '+447700900001' }] })
  return { url: house.relayUrl, user: house.user, stop: () => house.stop() }
}

async function startLocal(): Promise<Place> {
  const gateway = await Gateway.start()
  await gateway.untilReady()
  return { url: gateway.url, user: credentialsIn(gateway.folder), stop: () => gateway.stop() }
}
