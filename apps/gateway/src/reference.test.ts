import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { agentSettingsSchema as agentSettings } from '@smsgw/agent/config'
import { bridgeSettingsSchema as bridgeSettings } from '@smsgw/bridge/config'
import { aboutOf, type SettingsSchema } from '@smsgw/daemon/settings'
import { freePort } from '@smsgw/daemon/testing/free-port'
import { relaySettingsSchema as relaySettings } from '@smsgw/relay/config'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

// Generates the pages of docs/reference from the code and from a running relay, and fails if they are outdated. `npm
// run reference` updates them.

const ROOT = resolve(import.meta.dirname, '../../..')
const TOKEN = 'a token for the metrics'
const relayFolder = mkdtempSync(join(tmpdir(), 'smsgw-reference-'))
let relayUrl: string
let stopRelay: () => Promise<unknown>

beforeAll(async () => {
  const port = await freePort()
  relayUrl = `http://127.0.0.1:${port}`
  const relay = spawn(process.execPath, [process.env['TESTED_RELAY'] ?? ''], {
    cwd: ROOT,
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PORT: String(port),
      DATA_DIR: relayFolder,
      SERVER_SECRET: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      METRICS_TOKEN: TOKEN,
      CONSOLE_DIR: 'off',
    },
  })
  const ended = once(relay, 'exit')
  stopRelay = async () => {
    relay.kill('SIGTERM')
    await ended
  }
  await vi.waitUntil(
    () =>
      fetch(`${relayUrl}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    { timeout: 110_000 },
  )
})

afterAll(async () => {
  await stopRelay()
  rmSync(relayFolder, { recursive: true, force: true })
})

test('docs/reference/settings.md lists every setting with its help and default', async () => {
  await expectPage('settings', [
    'Settings',
    'Settings are environment variables. The Debian package reads them from `gateway.env`, `relay.env`, `agent.env` and `bridge.env`',
    "in `/etc/smsgw`, where a value with spaces, `#` or quotes is written as `'…'`. If a value is wrong, the program does not start, and shows one error",
    'that says what to do. A flag is `1` or `0`. A secret can come from a file: `SERVER_SECRET_FILE=/run/secrets/server-secret` sets',
    '`SERVER_SECRET`.',
    '',
    'The settings of an account (pauses, limits, work hours, SIM selection, retention) are changed through the API:',
    '`GET` and `PATCH /3rdparty/v1/settings`.',
    '',
    '## Relay',
    '',
    ...settingsTable(relaySettings),
    '',
    '## Agent',
    '',
    ...settingsTable(agentSettings),
    '',
    '### Each SIM',
    '',
    '| Setting | What it does |',
    '|---|---|',
    '| `SIM_1_NUMBER` | Phone number of SIM 1, for a SIM that does not store its own number. `SIM_2_NUMBER` is for SIM 2, and so on |',
    '| `SIM_1_OPERATOR` | Operator of SIM 1: country and network codes such as `26202`. The modem then uses no other network. `26202,any` also allows other networks while this operator is out of reach. `auto` lets the modem choose again. Without this setting, the modem keeps the selection that it has stored |',
    '| `SIM_1_PIN` or `SIM_1_PIN_FILE` | PIN of SIM 1. The agent tries it only once, and does not try it if only one attempt is left |',
    '',
    '## Bridge',
    '',
    'A gateway also has the settings in this table whose names begin with `MQTT_`, `SMTP_`, `MAIL_`, `CHAT_`, `SMPP_` or `MCP_`, and',
    '`SMSGW_URL`.',
    '',
    ...settingsTable(bridgeSettings),
    '',
    '## Gateway',
    '',
    'The gateway takes all settings of the relay except `ADMIN_USERNAME` and `ENROLMENT_TOKEN`, and all settings of the agent except',
    '`RELAY_URL`, `DEVICE_NAME` and `ENROLMENT_TOKEN`. It has one account, with the username `sms`. At the first start, it generates',
    '`SERVER_SECRET` and the password of this account. If no modem is connected and none was ever used, it starts a virtual one; with',
    '`MODEMS=virtual` it always does.',
    '',
    'Unlike a relay, a gateway accepts credentials over plain HTTP from other machines. If other machines can reach it, use TLS, or a',
    'network that you trust. `ALLOW_INSECURE_HTTP=1` only hides the warning about plain HTTP at start.',
  ])
})

test('docs/reference/api.md lists every operation', async () => {
  const { paths } = await openapi()
  const byTag = new Map<string, string[]>()
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { tags, summary, security, deprecated }] of Object.entries(operations)) {
      if (path.startsWith('/3rdparty/v1/health')) continue
      const scopes = security.flatMap(({ bearer = [] }) => bearer)
      const needs = scopes.length > 0 ? code(scopes).join(' or ') : accessOf(security)
      const [tag = 'other'] = tags
      const row = `| ${method.toUpperCase()} | \`${path}\` | ${needs} | ${summary}${deprecated ? ' (deprecated)' : ''} |`
      byTag.set(tag, [...(byTag.get(tag) ?? []), row])
    }
  await expectPage('api', [
    'API operations',
    'Your relay or gateway describes each operation, with its fields and answers, at `/docs`. Code generators can use',
    '`/openapi.json`. The [API guide](../api.md) explains how to use the API. Basic authentication and a console session have every',
    'scope. The paths below `/3rdparty/v1` are also available below `/api/3rdparty/v1`. The health checks are also available below',
    '`/3rdparty/v1`.',
    ...[...byTag].flatMap(([tag, rows]) => [
      '',
      `## ${tag.charAt(0).toUpperCase()}${tag.slice(1).replace('-', ' ')}`,
      '',
      '| Method | Path | Scope | What it does |',
      '|---|---|---|---|',
      ...rows,
    ]),
  ])
})

test('docs/reference/webhook-events.md lists every event with its payload', async () => {
  const { webhooks, components } = await openapi()
  const schemaOf = (schema: JsonSchema = {}): JsonSchema =>
    schema.$ref === undefined ? schema : schemaOf(components.schemas[schema.$ref.split('/').at(-1) ?? ''])
  const sections = Object.entries(webhooks).flatMap(([event, { post }]) => {
    const envelope = schemaOf(post.requestBody.content['application/json']?.schema)
    const { properties = {}, required = [] } = schemaOf(envelope.properties?.['payload'])
    return [
      '',
      `## ${event}`,
      '',
      '| Member | Type | |',
      '|---|---|---|',
      ...Object.entries(properties).map(([name, member]) => {
        const { description, deprecated } = { ...schemaOf(member), ...member }
        const notes = [description, deprecated && 'deprecated', !required.includes(name) && 'optional'].filter(Boolean)
        return `| \`${name}\` | ${typeOf(schemaOf(member))} | ${cell(notes.join('; '))} |`
      }),
    ]
  })
  await expectPage('webhook-events', [
    'Webhook events',
    'This page lists the members of `payload` for each event. [Webhooks](../webhooks.md) explains delivery and signatures, and shows an',
    'example of each event.',
    '`mms:downloaded` and `mms:batch:downloaded` come only from phones, because modems do not download MMS.',
    ...sections,
  ])
})

test('docs/reference/metrics.md lists every metric that a relay exports', async () => {
  const labels = labelsInSource()
  const answer = await fetch(`${relayUrl}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  const text = await answer.text()
  const rows = [...text.matchAll(/^# HELP (smsgw_(?!process_|nodejs_)\w+) (.+)\n# TYPE \w+ (\w+)$/gm)]
    .map(([, name = '', help = '', type = '']) => {
      return `| \`${name}\` | ${type} | ${code(labels.get(name) ?? ['unknown']).join(', ')} | ${cell(help)} |`
    })
    .sort()
  expect(rows.length).toBeGreaterThan(10)
  await expectPage('metrics', [
    'Metrics',
    '[Monitor](../guides/monitor.md) explains where metrics are, how to combine several relays, and which alarms to set.',
    '',
    '| Metric | Type | Labels | What it measures |',
    '|---|---|---|---|',
    ...rows,
    '',
    'Metrics of the process (memory, CPU, event loop) begin with `smsgw_process_` and `smsgw_nodejs_`.',
  ])
})

test('docs/reference/cli.md shows the help of every program', async () => {
  const programs = [
    [
      'smsgw',
      'Runs any other program. Use `npm run smsgw -- <program> …` in a checkout, `smsgw <program> …` in a container, and ' +
        '`sudo smsgw <program> …` with the Debian package. With the package, the program runs with the user, settings and ' +
        'data folder of its service. For completion of commands and options, run `eval "$(smsgw completion bash)"`. For zsh, replace ' +
        '`bash` with `zsh`; for fish, run `smsgw completion fish | source`. The exit code of a wrong command line is 2.\n\n' +
        'The Debian package has two more commands, for machines on which ModemManager runs: `sudo smsgw ignore-modems` makes ' +
        'ModemManager ignore the modems, and `sudo smsgw modem adopt` [shares](../guides/raspberry-pi.md#share-a-modem-with-modemmanager) ' +
        'them with it. Both list the modems and ask before they change anything.',
      'apps/gateway/src/smsgw/main.ts',
    ],
    [
      'API commands',
      'These commands use the API of a gateway or relay, on this machine or elsewhere. They need no sudo. Use `npm run smsgw -- send …` in a ' +
        'checkout. [Use the API from TypeScript](../guides/client.md#from-the-command-line) shows examples.',
      'apps/gateway/src/smsgw/main.ts',
      'send',
    ],
    [
      'Gateway',
      'Use `npm start` and `npm run gateway` in a checkout, `sudo smsgw gateway` with the package.',
      'apps/gateway/src/main.ts',
    ],
    ['Relay', 'Use `npm run relay` in a checkout, `sudo smsgw relay` with the package.', 'apps/relay/src/main.ts'],
    ['Agent', 'Use `npm run agent` in a checkout, `sudo smsgw agent` with the package.', 'apps/agent/src/main.ts'],
    ['Bridge', 'Use `npm run bridge` in a checkout, `sudo smsgw bridge` with the package.', 'apps/bridge/src/main.ts'],
    [
      'Modem',
      'Use `npm run modem` in a checkout, `sudo smsgw modem` with the package.',
      'apps/agent/src/modem-tool/main.ts',
    ],
    [
      'Emulator',
      'Use `npm run emulator` in a checkout, `smsgw emulator` with the package.',
      'apps/emulator/src/main.ts',
    ],
  ] as const
  await expectPage('cli', [
    'Command line',
    'This page shows what each program prints with `--help`.',
    ...programs.flatMap(([title, about, file, ...args]) => [
      '',
      `## ${title}`,
      '',
      about,
      '',
      '```txt',
      helpOf(file, ...args),
      '```',
    ]),
  ])
})

test('packages/client/src/openapi.ts has the types of the API', async () => {
  const file = join(relayFolder, 'openapi.json')
  writeFileSync(file, JSON.stringify(withoutErrors(await openapi())))
  const options = ['--root-types', '--root-types-no-schema-prefix', '--default-non-nullable', 'false']
  const types = join(relayFolder, 'openapi.ts')
  execFileSync(join(ROOT, 'apps/e2e/node_modules/.bin/openapi-typescript'), [file, '--output', types, ...options])
  const text = readFileSync(types, 'utf8')
    .replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
    .replaceAll(/^ +(?:get|put|post|delete|options|head|patch|trace|header|path|cookie|requestBody)\?: never;\n/gm, '')
  await expect(`// Generated by npm run reference from the OpenAPI document.\n${text}`).toMatchFileSnapshot(
    join(ROOT, 'packages/client/src/openapi.ts'),
  )
})

/** Returns the API operations for accounts, without their error answers, which all have the same schema. */
function withoutErrors(document: Openapi): object {
  const paths = Object.entries(document.paths).filter(
    ([path]) => path.startsWith('/3rdparty/v1/') && !path.includes('/health'),
  )
  const shortened = paths.map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [
        method,
        {
          ...operation,
          responses: Object.fromEntries(
            Object.entries(operation.responses)
              .filter(([status]) => status.startsWith('2'))
              .map(([status, { headers: _, ...response }]) => [status, response]),
          ),
        },
      ]),
    ),
  ])
  return { ...document, paths: Object.fromEntries(shortened) }
}

async function expectPage(name: string, [title = '', ...lines]: readonly string[]): Promise<void> {
  await expect(`# ${title}\n\n${lines.join('\n')}\n`).toMatchFileSnapshot(join(ROOT, `docs/reference/${name}.md`))
}

function settingsTable(schema: SettingsSchema): string[] {
  const rows = Object.keys(schema.shape).map((name) => {
    const { about, secret } = aboutOf(schema, name)
    return `| \`${name}\`${secret ? ` or \`${name}_FILE\`` : ''} | ${cell(about)} | ${defaultOf(schema, name)} |`
  })
  return ['| Setting | What it does | Default |', '|---|---|---|', ...rows]
}

function defaultOf(schema: SettingsSchema, name: string): string {
  // Leaves out the values of these settings, because they differ between machines.
  if (name === 'DEVICE_NAME') return 'the host name'
  if (name === 'CONSOLE_DIR') return 'next to the program'
  const result = schema.shape[name]?.safeParse(undefined)
  if (!result?.success) return '**required**'
  const value: unknown = result.data
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '–'
  return `\`${typeof value === 'boolean' ? Number(value) : value}\``
}

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly deprecated?: boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
}

interface Openapi {
  readonly paths: Record<string, Record<string, Operation>>
  readonly webhooks: Record<string, { readonly post: { readonly requestBody: { readonly content: Content } } }>
  readonly components: { readonly schemas: Record<string, JsonSchema> }
}

type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

interface Operation {
  readonly tags: readonly string[]
  readonly summary: string
  readonly deprecated?: boolean
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>
}

async function openapi(): Promise<Openapi> {
  const answer = await fetch(`${relayUrl}/openapi.json`)
  return (await answer.json()) as Openapi
}

/** Returns who may use an operation that has no scope. */
function accessOf(security: Operation['security']): string {
  const kinds = security.flatMap((one) => Object.keys(one))
  if (kinds.includes('refreshToken')) return 'refresh token'
  if (kinds.includes('settingToken')) return '`METRICS_TOKEN`'
  if (kinds.includes('bearer')) return 'any token'
  return kinds.length > 0 ? 'password or session' : 'public'
}

function typeOf({ type, anyOf }: JsonSchema): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ')
  return [type ?? 'object'].flat().join(' or ')
}

/** Returns the labels of each metric from the source. The exported text contains labels only after they have values. */
function labelsInSource(): Map<string, string[]> {
  const folder = join(ROOT, 'apps/relay/src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  )
  const labels = new Map<string, string[]>()
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    for (const [, options = ''] of text.matchAll(/new (?:Counter|Gauge|Histogram)\(\{(.*?)^ {2,4}\}\)/gms)) {
      const name = /name: '(\w+)'/.exec(options)?.[1] ?? ''
      const names = [...(/labelNames: \[(.*?)\]/.exec(options)?.[1] ?? '').matchAll(/'(\w+)'/g)]
      labels.set(
        name,
        names.map(([, label = '']) => label),
      )
    }
  }
  return labels
}

function helpOf(file: string, ...args: readonly string[]): string {
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    NODE_NO_WARNINGS: '1',
  }
  return execFileSync(process.execPath, [file, ...args, '--help'], { cwd: ROOT, encoding: 'utf8', env }).trimEnd()
}

function code(names: readonly string[]): string[] {
  return names.map((name) => `\`${name}\``)
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
