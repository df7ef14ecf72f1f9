import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../src/house/machine/free-port.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { HouseProcess, logged } from '../src/house/machine/process.ts'
import { type BridgeProof, expectTexts, type ProofWorld } from './bridge-proof.ts'

const MAIN = mainScripts.smsgw
const INSPECTOR = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'
/** The revisions of the protocol of 2025 and of 2026. */
const ERAS = ['legacy', 'modern']

/** Proves the MCP server with the command line of the MCP inspector in place of an AI assistant. */
export const mcpProof: BridgeProof = {
  subject: 'mcp',
  packages: [],
  npm: '@modelcontextprotocol/inspector@2.12.0',
  steps: [
    [
      'lists tools without problems, over standard input and output and over HTTP, with protocols of 2025 and 2026',
      async (world) => {
        const { key } = await world.newRecipient()
        for (const server of [stdio(world, key), await http(world, key)]) {
          for (const era of ERAS) {
            const { tools } = await inspect(world, server, [
              '--protocol-era',
              era,
              '--method',
              'tools/list',
              '--strict',
            ])
            if ((tools as unknown[]).length !== 7) throw new Error(`${era}: ${JSON.stringify(tools)}`)
          }
        }
      },
    ],
    [
      'sends with the key of the assistant, only to its recipients, and once for each callId',
      async (world) => {
        const { key, number, texts } = await world.newRecipient()
        for (const [way, server] of [
          ['input', stdio(world, key)] as const,
          ['HTTP', await http(world, key)] as const,
        ]) {
          const args = [`to=${number}`, `text=By ${way}`, `callId=${way}`]
          const first = await call(world, server, 'send_sms', args)
          const again = await call(world, server, 'send_sms', args)
          if (first['id'] !== again['id'] || again['isRepeated'] !== true) throw new Error(JSON.stringify(again))
        }
        const refused = await inspect(
          world,
          stdio(world, key),
          ['--method', 'tools/call', '--tool-name', 'send_sms', '--tool-arg', 'to=+447400999999', 'text=x'],
          true,
        )
        if (!JSON.stringify(refused).includes('may not send to +447400999999')) throw new Error(JSON.stringify(refused))
        expectTexts(await texts(), ['By input', 'By HTTP'])
      },
    ],
  ],
}

/** The arguments of the inspector that select a server. */
interface Target {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

function stdio(world: ProofWorld, key: string): Target {
  const settings = [`SMSGW_URL=${world.gateway().url}`, `SMSGW_API_KEY=${key}`]
  return { before: settings.flatMap((one) => ['-e', one]), after: ['--', process.execPath, MAIN, 'mcp'] }
}

/** Starts a bridge with an MCP server. */
async function http(world: ProofWorld, key: string): Promise<Target> {
  const port = String(await freePort())
  const settings = {
    SMSGW_URL: world.gateway().url,
    SMSGW_API_KEY: key,
    MCP_PORT: port,
    DATA_DIR: mkdtempSync(join(world.folder, 'mcp-')),
  }
  const bridge = new HouseProcess('bridge', mainScripts.bridge, ['run'], settings)
  world.onEnd(() => bridge.stop())
  await bridge.said(logged('MCP server listening'))
  const header = `Authorization: Bearer ${key}`
  return { before: ['--server-url', `http://127.0.0.1:${port}/mcp`, '--header', header], after: [] }
}

async function call(world: ProofWorld, server: Target, tool: string, args: readonly string[]) {
  const result = await inspect(world, server, ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', ...args])
  return result['structuredContent'] as Record<string, unknown>
}

/** Runs the inspector and returns the result of its request. */
async function inspect(
  world: ProofWorld,
  { before, after }: Target,
  args: readonly string[],
  mayFail = false,
): Promise<Record<string, unknown>> {
  const options = ['--cli', '--format', 'json', '--quiet', ...before, ...args, ...after]
  const inspector = world.npm.start('inspector', INSPECTOR, options, { HOME: world.folder })
  const status = await inspector.ended()
  if (status !== 0 && !mayFail) throw new Error(`the inspector ended with ${status}: ${inspector.complaints}`)
  const { result, ...rest } = JSON.parse(inspector.lines.join('\n')) as Record<string, unknown>
  return (result ?? rest) as Record<string, unknown>
}
