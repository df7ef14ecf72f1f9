'use strict'
const fs = require('node:fs')
const path = require('node:path')
const { constants } = require('node:os')
const { fail } = require('./fail.cjs')
const { withInstallLock } = require('./install-lock.cjs')
const { isHostNewEnough, OWN_NODE, ownNode } = require('./own-node.cjs')
const { fitsHere, libc } = require('./platform.cjs')
const { readIfThere } = require('./read-if-there.cjs')
const { runChild } = require('./run-child.cjs')

const INSTALLED = 'node_modules/.package-lock.json'
/** The folder for the Node of the repository while an older Node starts the first installation. */
const FIRST_NODE = '.cache/first-node'
/** The size of the installation, and of what npm keeps in its cache, measured on Linux x64. */
const [SIZE_MB, CACHE_MB] = [1060, 440]
const PROGRESS_MS = 15_000

async function installWhatIsMissing(root) {
  if (missingPackages(root).length === 0) return
  await withInstallLock(root, async (noteInstaller) => {
    if (missingPackages(root).length === 0) return // another start has installed the packages in the meantime
    const startedAt = Date.now()
    process.stderr.write(
      `Installing the dependencies, once: ${packageCount(root)} packages, about ${SIZE_MB} MB on disk, and ${CACHE_MB} MB in the cache of npm. This takes one to three minutes …\n`,
    )
    const stopProgress = showProgress(startedAt)
    // npm silently skips optional packages whose `engines` exclude its Node. The native parts of some tools exclude
    // Node 18. So an old Node only installs the Node of the repository, which then installs everything.
    // otherwise the Node of an interrupted installation is incomplete
    const installed = fs.existsSync(path.join(root, INSTALLED))
    const node = (installed && ownNode(root)) || (isHostNewEnough() ? '' : await fetchNode(root, noteInstaller))
    await npmCi(root, node, noteInstaller)
    stopProgress()
    fs.rmSync(path.join(root, FIRST_NODE), { recursive: true, force: true })
    process.stderr.write(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.\n`)
    const missing = missingPackages(root)
    if (missing.length > 0) fail(`npm ci succeeded without installing ${shortList(missing)}: see \`npm config list\``)
  })
}

/** Returns the packages of the lockfile that are missing or have another version. */
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

/**
 * Returns true for packages that npm installs on this platform. An optional package without a platform is skipped,
 * because it is needed only by a package for another platform.
 */
function isNeeded(entry) {
  if (!entry.optional) return true
  return Boolean(entry.os || entry.cpu) && fitsHere(entry)
}

function packageCount(root) {
  const entries = Object.entries(packagesIn(path.join(root, 'package-lock.json')))
  return entries.filter(([place, entry]) => /(^|\/)node_modules\//.test(place) && !entry.link && isNeeded(entry)).length
}

/**
 * Installs only the Node of the repository, with the checksum of package-lock.json; '' if it has none for this machine.
 */
async function fetchNode(root, noteInstaller) {
  const place = `node_modules/${OWN_NODE}`
  const entry = packagesIn(path.join(root, 'package-lock.json'))[place]
  if (!entry || !fitsHere(entry) || libc() === 'musl') return ''
  const folder = path.join(root, FIRST_NODE)
  const manifest = { name: 'first-node', version: '0.0.0', private: true, dependencies: { [OWN_NODE]: entry.version } }
  const lock = {
    ...manifest,
    lockfileVersion: 3,
    packages: { '': manifest, [place]: { ...entry, optional: undefined } },
  }
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  fs.writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock))
  await npmCi(folder, '', noteInstaller)
  return path.join(folder, place, 'bin', 'node')
}

/** Runs `npm ci` in a folder with the given Node, or with the Node of this process. */
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
    '--no-update-notifier',
    '--ignore-scripts',
    '--loglevel=error',
  ]
  const result = await runChild(npm.file, args, {
    cwd: root,
    // npm prints to standard output only how many packages it has added, which includes the folders of this repository.
    stdio: ['ignore', 'ignore', process.stderr],
    env: {
      ...process.env,
      NODE_ENV: '',
      ...(node ? { PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` } : {}),
    },
    started: noteInstaller,
  })
  const signal = result.interruptedBy ?? result.signal
  if (signal) process.exit(128 + constants.signals[signal])
  if (result.error) fail(`npm could not be started (${result.error.message}): install npm, then try again`)
  if (result.code !== 0) fail('npm ci failed (see above): fix the cause, then run the same command again')
}

/**
 * Prints how long the installation has taken, because npm prints nothing. Returns a function that stops these lines.
 */
function showProgress(startedAt) {
  const timer = setInterval(() => {
    process.stderr.write(`  still installing: ${Math.round((Date.now() - startedAt) / 1000)} s\n`)
  }, PROGRESS_MS)
  return () => clearInterval(timer)
}

function npmCommand(node) {
  const fromNpm = process.env.npm_execpath ?? '' // other package managers also set this variable
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
