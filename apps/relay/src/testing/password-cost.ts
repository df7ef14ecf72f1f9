import { createRequire } from 'node:module'
import { afterAll, beforeAll } from 'vitest'

// Passwords of unit tests are hashed with the least cost that argon2id allows. With the cost of the product, hashes
// take a tenth of the CPU time of all tests. The cost of a comparison is part of the stored hash. The configuration of
// the tests runs this file before the module is imported, because an import keeps the function that was exported at
// that time.

/** All instances of this module share this object, and thereby `isCheap`. */
const argon2: { hash: Hash; isCheap?: boolean } = createRequire(import.meta.url)('@node-rs/argon2')

if (argon2.isCheap === undefined) {
  const { hash } = argon2
  argon2.isCheap = true
  argon2.hash = (password, cost) => hash(password, argon2.isCheap ? { ...cost, memoryCost: 8, timeCost: 1 } : cost)
}

type Hash = (password: string, cost: { readonly memoryCost: number; readonly timeCost: number }) => Promise<string>

/** Registers test hooks, so that all hashes of a test file have the cost of the product. */
export function useRealCost(): void {
  beforeAll(() => {
    argon2.isCheap = false
  })
  afterAll(() => {
    argon2.isCheap = true
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
