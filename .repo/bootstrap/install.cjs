'use strict'
const fs = require('node:fs')
const path = require('node:path')
const { constants } = require('node:os')
const { fail } = require('./fail.cjs')
const { withInstallLock } = require('./install-lock.cjs')
const { ownNode, pathWithOwnNode } = require('./own-node.cjs')
const { fitsHere } = require('./platform.cjs')
const { readIfThere } = require('./read-if-there.cjs')
const { runChild } = require('./run-child.cjs')

const INSTALLED = 'node_modules/.package-lock.json'

async function installWhatIsMissing(root) {
  if (missingPackages(root).length === 0) return
  await withInstallLock(root, async (noteInstaller) => {
    if (missingPackages(root).length === 0) return // another start has installed it meanwhile
    process.stderr.write('Installing the dependencies (once, about half a minute)…\n')
    // A broken installation may have left an incomplete Node.
    const usable = fs.existsSync(path.join(root, INSTALLED)) ? ownNode(root) : ''
    await npmCi(root, usable, noteInstaller)
    // npm silently skips optional packages whose `engines` exclude its Node; native parts of some tools exclude Node 18.
    // The Node of the repository is installed now, and npm skips nothing with it.
    if (missingPackages(root).length > 0 && ownNode(root) && !usable) await npmCi(root, ownNode(root), noteInstaller)
    const missing = missingPackages(root)
    if (missing.length > 0) fail(`npm ci succeeded without installing ${shortList(missing)}: see \`npm config list\``)
  })
}

/** The packages of the lockfile that are missing or have another version. */
function missingPackages(root) {
  const wanted = packagesIn(path.join(root, 'package-lock.json'))
  if (!wanted) return fail('package-lock.json is missing or broken: check the repository out again')
  const installed = packagesIn(path.join(root, INSTALLED))
  if (!installed) return ['node_modules']
  const isMissing = ([place, entry]) => {
    if (place === '') return false
    const there = installed[place]
    if (!there) return isNeeded(entry)
    return there.version !== entry.version || !fs.existsSync(path.join(root, place, 'package.json'))
  }
  return Object.entries(wanted)
    .filter(isMissing)
    .map(([place]) => place)
}

/** Optional packages for this platform. One without a platform belongs to another package that has one. */
function isNeeded(entry) {
  if (!entry.optional) return true
  return Boolean(entry.os || entry.cpu) && fitsHere(entry)
}

async function npmCi(root, node, noteInstaller) {
  // npm writes this list last, so without it the installation was interrupted.
  fs.rmSync(path.join(root, INSTALLED), { force: true })
  const npm = npmCommand(node)
  const args = [
    ...npm.arguments,
    'ci',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const result = await runChild(npm.file, args, {
    cwd: root,
    // npm prints its progress to our stderr: the standard output belongs to the command that follows.
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, NODE_ENV: '', ...(node ? { PATH: pathWithOwnNode(root) } : {}) },
    started: noteInstaller,
  })
  const signal = result.interruptedBy ?? result.signal
  if (signal) process.exit(128 + constants.signals[signal])
  if (result.error) fail(`npm could not be started (${result.error.message}): install npm, then try again`)
  if (result.code !== 0) fail('npm ci failed (see above): fix the cause, then run the same command again')
}

function npmCommand(node) {
  const fromNpm = process.env.npm_execpath ?? '' // other package managers set it too
  if (path.basename(fromNpm) !== 'npm-cli.js' || !fs.existsSync(fromNpm)) return { file: 'npm', arguments: [] }
  return { file: node || process.execPath, arguments: [fromNpm] }
}

function shortList(places) {
  const names = places.slice(0, 3).map((place) => place.replace(/^node_modules\//, ''))
  return `${names.join(', ')}${places.length > 3 ? ` and ${places.length - 3} more` : ''}`
}

function packagesIn(file) {
  try {
    return JSON.parse(readIfThere(file)).packages
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

module.exports = { installWhatIsMissing }
