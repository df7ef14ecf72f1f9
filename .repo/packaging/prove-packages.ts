import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { poolOf, writeAptRepository } from '../release/apt-repository.ts'
import { debianVersion } from '../release/previous-release.ts'
import { throwawaySigner } from '../release/signer.ts'
import type { Release } from '../rules/released-migrations.ts'
import { type Architecture, architectureOf } from './app-bundle.ts'
import { buildDeb } from './build-deb.ts'
import { EmptyDebian } from './empty-debian.ts'
import { ServiceEnded } from './installed-service.ts'
import { PackageTraffic } from './package-traffic.ts'
import { ProofSteps } from './proof-steps.ts'

export interface PackagesProof {
  readonly root: string
  /** The package of the previous release. */
  readonly previous: string
  readonly release: Release
  readonly architecture: Architecture
  /** A package of this release that is already built. */
  readonly current: string | undefined
}

const SETTINGS = 'etc/smsgw/gateway.env'
/** The emulation of another processor is about ten times slower than the processor of this machine. */
const [LIMIT_MS, EMULATED_LIMIT_MS] = [300_000, 1_800_000]
/** The gateway of 0.1.0-pre.1 ends if a transaction takes longer than 5 s, which happens under emulation. */
const EMULATED_STARTS = 3
const BACKUP = 'var/lib/smsgw/gateway/monday.backup'

/**
 * In a bare Debian: adds the apt repository, installs the previous release, sends through virtual modems, upgrades
 * while messages are sent, downgrades, upgrades again, and removes and purges the packages.
 */
export async function provePackages(proof: PackagesProof): Promise<ProofSteps> {
  const steps = new ProofSteps('Debian')
  const folder = mkdtempSync(join(tmpdir(), 'smsgw-packages-'))
  const old = debianVersion(proof.release.version)
  const isEmulated = proof.architecture !== architectureOf(process.arch)
  const starts = isEmulated ? EMULATED_STARTS : 1
  let debian: EmptyDebian | undefined
  let traffic: PackageTraffic | undefined
  try {
    const current =
      proof.current ?? (await steps.step('has a package built from these sources', () => buildCurrent(proof, folder)))
    debian = await steps.step('is created empty', () => EmptyDebian.create(proof.root, proof.architecture))
    if (debian === undefined || current === undefined) return steps
    const machine = debian
    const repository = new Repository(machine)
    await steps.step(`installs ${old} from the apt repository, with its key`, () => {
      repository.publish(proof.previous)
      machine.run('apt-get', 'update')
      machine.run('apt-get', 'install', '--yes', '--no-install-recommends', 'smsgw')
      expectSame('the version', installedVersion(machine), old)
    })
    await steps.step('refuses the repository without its key', () => repository.refusedWithoutKey())
    const running = await PackageTraffic.start(proof.root, folder, isEmulated ? EMULATED_LIMIT_MS : LIMIT_MS)
    traffic = running
    await steps.step('sends the first message through a virtual modem', async () => {
      appendFileSync(machine.path(SETTINGS), `PORT=${running.port}\nMODEMS=${running.modem}\nIN_DOUBT_SECONDS=10\n`)
      await start(machine, running, starts)
      await running.firstMessage()
    })
    await steps.step('upgrades while messages are sent', async () => {
      running.begin()
      await running.passes(20)
      repository.publish(current)
      machine.run('apt-get', 'update')
      machine.run('apt-get', 'upgrade', '--yes')
      await restart(machine, running, starts)
      expectSame('the version', installedVersion(machine), versionOf(current))
    })
    await steps.step('downgrades to the previous release while messages are sent', async () => {
      // Packages before 0.1.0 ask whether to keep changed settings. This option answers with yes.
      const keepSettings = ['-o', 'Dpkg::Options::=--force-confold']
      machine.run('apt-get', 'install', '--yes', '--allow-downgrades', ...keepSettings, `smsgw=${old}`)
      await restart(machine, running, starts)
      expectSame('the version', installedVersion(machine), old)
    })
    await steps.step('upgrades again, with each message sent once', async () => {
      machine.run('apt-get', 'upgrade', '--yes')
      await restart(machine, running, starts)
      await running.end()
      expectSame('settings', readFileSync(machine.path(SETTINGS), 'utf8').includes(`PORT=${running.port}`), true)
      process.stdout.write(`      ${running.summary()}\n`)
    })
    await steps.step('starts the emulator on a pseudo-terminal', () => {
      const wait = 'for second in $(seq 60); do test -L /tmp/modem0 && break; sleep 1; done'
      const check = 'test -c "$(readlink -f /tmp/modem0)"; kill $!; wait $!'
      machine.run('sh', '-ec', `smsgw emulator --control none --pty /tmp/modem0 >/tmp/emulator.log & ${wait}; ${check}`)
    })
    await steps.step(
      'keeps settings, data and backups when the package is removed, and names their folders',
      async () => {
        machine.run('smsgw', 'gateway', 'backup', `/${BACKUP}`)
        await machine.stopService('gateway')
        writeFileSync(machine.path('etc/smsgw/notes.txt'), 'The SIM of the attic is prepaid.\n')
        const said = machine.run('apt-get', 'remove', '--yes', 'smsgw')
        for (const place of ['/etc/smsgw', '/var/lib/smsgw'])
          expectSame(`${place} is named`, said.includes(place), true)
        for (const file of [SETTINGS, BACKUP]) expectSame(`${file} is there`, existsSync(machine.path(file)), true)
        expectSame('the program is there', existsSync(machine.path('usr/lib/smsgw')), false)
      },
    )
    await steps.step('when purged, keeps only files that a person wrote, and names their folder', () => {
      const said = machine.run('apt-get', 'purge', '--yes', 'smsgw')
      expectSame('data are there', existsSync(machine.path('var/lib/smsgw')), false)
      expectSame('settings are there', existsSync(machine.path(SETTINGS)), false)
      for (const file of ['etc/smsgw/notes.txt', `var/backups/smsgw/${basename(BACKUP)}`])
        expectSame(`${file} is there`, existsSync(machine.path(file)), true)
      for (const place of ['/etc/smsgw', '/var/backups/smsgw'])
        expectSame(`${place} is named`, said.includes(place), true)
    })
    return steps
  } finally {
    await traffic?.close()
    await debian?.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns why the proof cannot run on this machine; undefined if it can run. */
export function obstacleToPackages(architecture: Architecture): string | undefined {
  if (process.getuid?.() !== 0) return 'the proof must run as root'
  for (const command of ['debootstrap', 'dpkg-deb', 'gpg', 'setpriv', 'mount'])
    if (spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${command}`]).status !== 0)
      return `${command} is not installed`
  if (architecture === architectureOf(process.arch)) return undefined
  const emulation = `/proc/sys/fs/binfmt_misc/qemu-${architecture === 'arm64' ? 'aarch64' : 'x86_64'}`
  return existsSync(emulation) ? undefined : `${emulation} does not exist: install qemu-user-static`
}

function buildCurrent({ root, release, architecture }: PackagesProof, folder: string): string {
  const built = join(folder, 'dist')
  const build = spawnSync(process.execPath, [join(root, '.repo/build.ts'), '--into', built], { encoding: 'utf8' })
  if (build.status !== 0) throw new Error(`the build failed: ${build.stderr}`)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  // Directly after a release, the sources still have the version of this release.
  const next = version === release.version ? `${version}+next` : version
  return buildDeb({ version: next, architecture, built, into: folder, compression: 0 })
}

/** The signed apt repository, on the disk of this Debian. */
class Repository {
  readonly #debian: EmptyDebian

  constructor(debian: EmptyDebian) {
    this.#debian = debian
    mkdirSync(poolOf(this.#folder), { recursive: true })
    const source = `deb [signed-by=/etc/apt/keyrings/smsgw.asc] file:/srv/apt stable main\n`
    mkdirSync(debian.path('etc/apt/keyrings'), { recursive: true })
    writeFileSync(debian.path('etc/apt/sources.list.d/smsgw.list'), source)
  }

  get #folder(): string {
    return this.#debian.path('srv/apt')
  }

  /**
   * Adds a package to the repository, and signs the repository with a new key, because the key of this test is not
   * kept.
   */
  publish(deb: string): void {
    copyFileSync(deb, join(poolOf(this.#folder), basename(deb)))
    const signer = throwawaySigner()
    try {
      writeAptRepository({ folder: this.#folder, signer, madeAt: new Date() })
      writeFileSync(this.#debian.path('etc/apt/keyrings/smsgw.asc'), signer.publicKey())
    } finally {
      signer.close()
    }
  }

  refusedWithoutKey(): void {
    const key = this.#debian.path('etc/apt/keyrings/smsgw.asc')
    const text = readFileSync(key, 'utf8')
    const other = throwawaySigner()
    try {
      writeFileSync(key, other.publicKey())
      expectSame('apt accepts another key', this.#debian.succeeds('apt-get', 'update', '--error-on=any'), false)
    } finally {
      other.close()
      writeFileSync(key, text)
    }
  }
}

/**
 * Restarts the service as systemd does during an upgrade: the old program runs until the new one is installed.
 */
async function restart(machine: EmptyDebian, traffic: PackageTraffic, starts: number): Promise<void> {
  await machine.stopService('gateway')
  await start(machine, traffic, starts)
  await traffic.passes(20)
}

/**
 * If the service ends while it starts, starts it again, as systemd does (`Restart=always`). Fails after this number of
 * starts.
 */
async function start(machine: EmptyDebian, traffic: PackageTraffic, starts: number): Promise<void> {
  machine.startService('gateway')
  try {
    await traffic.untilAnswers(machine)
  } catch (error) {
    if (starts === 1 || !(error instanceof ServiceEnded)) throw error
    process.stdout.write(`      started again: ${error.message}\n`)
    await start(machine, traffic, starts - 1)
  }
}

function installedVersion(machine: EmptyDebian): string {
  return machine.run('dpkg-query', '--show', 'smsgw').trim().split('\t')[1] ?? ''
}

function versionOf(deb: string): string {
  return basename(deb).split('_')[1] ?? ''
}

function expectSame<T>(what: string, found: T, expected: T): void {
  if (found !== expected) throw new Error(`${what}: ${expected} expected, ${found} found`)
}
