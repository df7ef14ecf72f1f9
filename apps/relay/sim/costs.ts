/**
 * The time that one core needs for each step of a connection, in milliseconds. The times are estimates. `npm run bench
 * -- fleet --only agents` shows how much CPU time a whole connection takes on a machine.
 */
export const costs = {
  tlsHandshakeMs: 1,
  upgradeMs: 0.6,
  /** An answer 429 takes 0.4 times the CPU time of an upgrade: 0.035 ms and 0.086 ms, measured with Node.js and ws. */
  refusalMs: 0.25,
  frameMs: 0.1,
  requests: {
    authenticate: { databaseMs: 0.4, relayMs: 0.6 },
    'open-connection': { databaseMs: 2.4, relayMs: 1.6 },
    'claim-commands': { databaseMs: 0.4, relayMs: 0.4 },
  },
} as const
