// Every npm script of this repository starts with this file. It is plain JavaScript, because it must run on Node 18.
// Installs missing packages of package-lock.json, generates the database client after a change of its schema, and then
// runs the command with the Node of the repository, which npm 9 and 10 do not add to PATH.
//
//   node .repo/bootstrap.cjs <command> [arguments…]
'use strict'
const path = require('node:path')
const { generateDatabaseClient } = require('./bootstrap/database-client.cjs')
const { fail } = require('./bootstrap/fail.cjs')
const { installWhatIsMissing } = require('./bootstrap/install.cjs')
const { linkOwnNode, pathWithOwnNode } = require('./bootstrap/own-node.cjs')
const { exitCodeOf, runChild } = require('./bootstrap/run-child.cjs')

const root = path.resolve(__dirname, '..')

main(process.argv.slice(2))

async function main([file, ...args]) {
  if (file === undefined) fail('usage: node .repo/bootstrap.cjs <command> [arguments…]')
  await installWhatIsMissing(root)
  linkOwnNode(root)
  await generateDatabaseClient(root)
  const result = await runChild(file, args, { cwd: root, stdio: 'inherit', env: environment() })
  if (result.error) fail(`${file} could not be started: ${result.error.message}`)
  process.exit(exitCodeOf(result))
}

function environment() {
  return {
    ...process.env,
    PATH: pathWithOwnNode(root),
    NX_DAEMON: 'false',
    NX_TUI: 'false',
    NX_SKIP_NATIVE_FILE_CACHE: 'true', // this cache is a folder in /tmp, which all checkouts would share
    NX_ISOLATE_PLUGINS: 'false', // a process for each plugin takes 1.7 s of CPU time, and the plugins are those of Nx itself
  }
}
