'use strict'
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { fail } = require('./fail.cjs')
const { withInstallLock } = require('./install-lock.cjs')
const { pathWithOwnNode } = require('./own-node.cjs')
const { readIfThere } = require('./read-if-there.cjs')
const { exitCodeOf, runChild } = require('./run-child.cjs')

const SCHEMA = 'prisma/schema.prisma'
/**
 * This file is in the folder of the client, so that deleting the folder makes the next start generate the client again.
 */
const MADE_FROM = 'apps/relay/src/store/generated/.made-from'

/** The database client is code that Prisma generates from the schema, and is not in git. */
async function generateDatabaseClient(root) {
  if (isFresh(root)) return
  await withInstallLock(root, async (noteGenerator) => {
    if (isFresh(root)) return // another start has generated the client in the meantime
    const madeFrom = fingerprint(root)
    await runPrisma(root, noteGenerator)
    fs.writeFileSync(path.join(root, MADE_FROM), madeFrom)
  })
}

function isFresh(root) {
  const wanted = fingerprint(root)
  return wanted === '' || readIfThere(path.join(root, MADE_FROM)) === wanted
}

/** Returns a fingerprint of the files that determine the client; '' without a schema. */
function fingerprint(root) {
  const schema = readIfThere(path.join(root, SCHEMA))
  if (schema === '') return ''
  const generator = readIfThere(path.join(root, 'node_modules/prisma/package.json'))
  return createHash('sha256').update(generator).update(schema).digest('hex')
}

async function runPrisma(root, started) {
  const log = path.join(root, '.cache', 'prisma-generate.log')
  const output = fs.openSync(log, 'w')
  const result = await runChild('prisma', ['generate'], {
    cwd: root,
    stdio: ['ignore', output, output],
    env: {
      ...process.env,
      PATH: pathWithOwnNode(root),
      // Without this setting, every Prisma command downloads an engine, which `generate` does not use.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: 'true',
      CHECKPOINT_DISABLE: '1',
    },
    started,
  })
  fs.closeSync(output)
  if (result.interruptedBy || result.signal) process.exit(exitCodeOf({ signal: result.interruptedBy ?? result.signal }))
  if (result.code === 0) return
  process.stderr.write(readIfThere(log))
  fail(`prisma generate failed${result.error ? ` (${result.error.message})` : ''}: fix ${SCHEMA}, then try again`)
}

module.exports = { generateDatabaseClient }
