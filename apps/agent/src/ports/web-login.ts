import { createHash } from 'node:crypto'
import type { WebLogin } from '@smsgw/modem/hilink/web-session'
import type { AgentConfig } from '../config.ts'

/** The login to the web interface of HiLink sticks; undefined without a password. */
export function webLoginOf(config: Pick<AgentConfig, 'HILINK_USER' | 'HILINK_PASSWORD'>): WebLogin | undefined {
  const { HILINK_USER: user, HILINK_PASSWORD: password } = config
  return password === undefined ? undefined : { user, password, hash }
}

function hash(text: string): string {
  return Buffer.from(createHash('sha256').update(text).digest('hex')).toString('base64')
}
