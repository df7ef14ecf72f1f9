import type { RelayConfig } from '@smsgw/relay/config'

/** Of the relay's settings those that say where the data of a gateway are. */
export const databaseSettings = {
  DATABASE_URL: true,
  DATABASE_CONNECTIONS: true,
  DATABASE_WAIT_SECONDS: true,
  DATA_DIR: true,
} as const

export type DatabaseSettings = Pick<RelayConfig, keyof typeof databaseSettings> & {
  /** Where it is given from outside; else it is a file in DATA_DIR. */
  readonly serverSecret: string | undefined
}
