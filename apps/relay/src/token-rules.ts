import type { RelayConfig } from './config.ts'

/** The `iss` claim of tokens if PUBLIC_URL is not set. */
const ISSUER = 'smsgw'

export function tokenRules(config: RelayConfig) {
  return {
    issuer: config.PUBLIC_URL ?? ISSUER,
    maxTtlSeconds: config.TOKEN_MAX_TTL_SECONDS,
    refreshTtlSeconds: config.REFRESH_TTL_SECONDS,
  }
}

export function longestToken(config: RelayConfig): number {
  return Math.max(config.TOKEN_MAX_TTL_SECONDS, config.REFRESH_TTL_SECONDS)
}
