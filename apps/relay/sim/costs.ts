/**
 * The time that one core needs for each step of a connection, in milliseconds. The times of relay and database were
 * measured with `npm run bench -- fleet --only agents`: all steps together take as much CPU time as one connection
 * there. The time of the balancer is that of a TLS handshake with an ECDSA certificate, and its share of the proxying.
 */
export const costs = {
  tlsHandshakeMs: 1,
  upgradeMs: 0.6,
  frameMs: 0.1,
  requests: {
    authenticate: { databaseMs: 0.4, relayMs: 0.6 },
    'open-connection': { databaseMs: 2.4, relayMs: 1.6 },
    'claim-commands': { databaseMs: 0.4, relayMs: 0.4 },
  },
} as const
