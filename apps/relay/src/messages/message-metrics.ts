import { Counter, type Registry } from 'prom-client'

/** Counts messages that were answered with 202 for the first time. */
export function messageMetrics(registry: Registry): () => void {
  const accepted = new Counter({
    name: 'smsgw_messages_accepted_total',
    help: 'Messages that this relay took on',
    registers: [registry],
  })
  return () => accepted.inc()
}
