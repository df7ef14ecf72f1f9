import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'

// Passwords of unit tests are hashed with the least cost that argon2id allows. With the cost of the product, hashes
// take a tenth of the CPU time of all tests. The cost of a comparison is part of the stored hash. The configuration of
// the tests runs this file before the module is imported, because an import keeps the functions that were exported at
// that time.

/** The duration of a check in tests of the queue of checks. On a busy machine, a real check takes about as long. */
const SLOW_MS = 20

/** All instances of this module share this object, and thereby `isCheap` and `isSlow`. */
const argon2: { hash: Hash; verify: Verify; isCheap?: boolean; isSlow?: boolean } = createRequire(import.meta.url)(
  '@node-rs/argon2',
)

if (argon2.isCheap === undefined) {
  const { hash, verify } = argon2
  argon2.isCheap = true
  argon2.hash = async (password, cost) => {
    if (argon2.isSlow) await sleep(SLOW_MS)
    return await hash(password, argon2.isCheap ? { ...cost, memoryCost: 8, timeCost: 1 } : cost)
  }
  argon2.verify = async (hashed, password) => {
    if (argon2.isSlow) await sleep(SLOW_MS)
    return await verify(hashed, password)
  }
}

type Hash = (password: string, cost: { readonly memoryCost: number; readonly timeCost: number }) => Promise<string>
type Verify = (hashed: string, password: string) => Promise<boolean>

/** Registers test hooks, so that hashes and comparisons in a test file take time, but hardly any CPU time. */
export function useSlowHashes(): void {
  beforeAll(() => {
    argon2.isSlow = true
  })
  afterAll(() => {
    argon2.isSlow = false
  })
}

/** Runs work whose hashes have the cost of the product. */
export async function withRealCost<T>(work: () => Promise<T>): Promise<T> {
  argon2.isCheap = false
  try {
    return await work()
  } finally {
    argon2.isCheap = true
  }
}
