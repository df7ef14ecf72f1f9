// Vitest runs this once before the tests of an app that start whole programs. The programs run from bundles, which
// start in half the time of sources.
import { dirname, join } from 'node:path'
import { buildPrograms } from './built-programs.ts'

/** @public the configuration of the tests contains the path of this file */
export default async function setup(): Promise<void> {
  const { agent, emulator, gateway, relay } = await buildPrograms(['agent', 'emulator', 'gateway', 'relay'])
  process.env['TESTED_AGENT'] = agent
  process.env['TESTED_EMULATOR'] = emulator
  process.env['TESTED_GATEWAY'] = gateway
  process.env['TESTED_MODEM_TOOL'] = join(dirname(agent), 'modem-tool.js')
  process.env['TESTED_RELAY'] = relay
}
