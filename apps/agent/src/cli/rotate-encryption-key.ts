import { fingerprintGroups } from '@smsgw/contract/devices/fingerprint-groups'
import type { AgentConfig } from '../config.ts'
import { askAgent, noAgentRuns } from '../status/ask-agent.ts'

/** Makes the running agent replace the key with which senders encrypt messages for this agent. */
export async function rotateEncryptionKey({ DATA_DIR: folder }: AgentConfig): Promise<void> {
  const key = await askAgent(folder, { ask: 'rotate-encryption-key' })
  if (key === undefined) throw noAgentRuns(folder)
  process.stdout.write(
    `Version ${key.version} of the encryption key is in use. SHA-256 of the public key:\n${fingerprintGroups(key.fingerprint)}\n` +
      'Earlier versions still decrypt messages for 30 days.\n',
  )
}
