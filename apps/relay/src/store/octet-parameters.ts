import { randomUUID } from 'node:crypto'
import type { AttachmentOctets } from '@smsgw/contract/messages/mms'
import type { ClientBase } from 'pg'

/** Nobody can guess this prefix, so no value of a request is mistaken for a placeholder. */
const prefix = `octets ${randomUUID()} `
/** The octets of the running statements, by their placeholder. */
const waiting = new Map<string, AttachmentOctets>()
let count = 0

/**
 * Runs a statement that has octets as a parameter. The statement must contain the parameter as `${parameter}::bytea`.
 * The Prisma client would encode octets as base64 within JSON, several times. Therefore, the client gets a short
 * placeholder, and the connection sends the octets.
 */
export async function withOctets<Result>(
  octets: AttachmentOctets,
  run: (parameter: string) => Promise<Result>,
): Promise<Result> {
  count += 1
  const parameter = `${prefix}${count}`
  waiting.set(parameter, octets)
  try {
    return await run(parameter)
  } finally {
    waiting.delete(parameter)
  }
}

/** Lets a new connection of the pool send octets. */
export function sendOctets(client: ClientBase): void {
  const query = client.query.bind(client) as (...args: readonly unknown[]) => unknown
  const queryWithOctets = (config: unknown, ...more: readonly unknown[]) => query(restored(config), ...more)
  client.query = queryWithOctets as ClientBase['query']
}

function restored(config: unknown): unknown {
  if (waiting.size === 0 || typeof config !== 'object' || config === null) return config
  const { values } = config as { readonly values?: readonly unknown[] }
  if (!values?.some(isStandIn)) return config
  return { ...config, values: values.map((value) => (isStandIn(value) ? joined(waiting.get(value)) : value)) }
}

function isStandIn(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(prefix)
}

function joined(octets: AttachmentOctets | undefined): Buffer {
  if (octets === undefined) throw new Error('octets were requested after their statement had ended')
  return Buffer.concat(octets.pieces, octets.size)
}
