import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Manner, ReceiversReport } from './webhook-receivers.ts'

export interface WebhookReceivers {
  readonly urls: readonly string[]
  report(): Promise<ReceiversReport>
  stop(): void
}

export async function startWebhookReceivers(manners: readonly Manner[]): Promise<WebhookReceivers> {
  const child = fork(join(import.meta.dirname, 'webhook-receivers.ts'), [...manners])
  const [urls] = (await once(child, 'message')) as [string[]]
  return {
    urls,
    async report() {
      child.send('report')
      const [report] = (await once(child, 'message')) as [ReceiversReport]
      return report
    },
    stop: () => child.kill('SIGKILL'),
  }
}
