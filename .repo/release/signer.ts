import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Signs files with one OpenPGP key by calling gpg. */
export interface Signer {
  /** The fingerprint. */
  readonly key: string
  /** The public key, in text form. */
  publicKey(): string
  clearsign(file: string, into: string): void
  /** Writes a signature in text form. */
  detach(file: string, into: string): void
  /** Deletes a keyring that was created for this run. */
  close(): void
}

/** Signs with a key of the present user's keyring, named by its id, fingerprint or address. */
export function signerWith(key: string): Signer {
  return signerIn(undefined, key)
}

/** Signs with the private key in this text. The key is kept in a separate keyring until `close`. */
export function signerFrom(privateKey: string): Signer {
  const home = newHome()
  try {
    execFileSync('gpg', ['--batch', '--import'], { env: gpgEnvironment(home), input: privateKey, stdio: PIPES })
    return signerIn(home, fingerprintIn(home))
  } catch (error) {
    removeHome(home)
    throw error
  }
}

/** Creates a key that nobody trusts, for dry runs and tests. */
export function throwawaySigner(): Signer {
  const home = newHome()
  try {
    const name = 'smsgw dry run, do not trust'
    const args = ['--batch', '--passphrase', '', '--quick-generate-key', name, 'ed25519', 'sign', '1d']
    execFileSync('gpg', args, { env: gpgEnvironment(home), stdio: PIPES })
    return signerIn(home, fingerprintIn(home))
  } catch (error) {
    removeHome(home)
    throw error
  }
}

const PIPES = ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe']

function signerIn(home: string | undefined, key: string): Signer {
  const gpg = (...args: string[]) =>
    execFileSync('gpg', ['--batch', '--yes', '--local-user', key, ...args], {
      env: gpgEnvironment(home),
      encoding: 'utf8',
      stdio: PIPES,
    })
  return {
    key,
    publicKey: () => gpg('--armor', '--export', key),
    clearsign: (file, into) => void gpg('--digest-algo', 'SHA512', '--clearsign', '--output', into, file),
    detach: (file, into) => void gpg('--digest-algo', 'SHA512', '--armor', '--detach-sign', '--output', into, file),
    close() {
      if (home !== undefined) removeHome(home)
    },
  }
}

function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'smsgw-gpg-'))
}

function removeHome(home: string): void {
  execFileSync('gpgconf', ['--kill', 'all'], { env: gpgEnvironment(home), stdio: PIPES })
  rmSync(home, { recursive: true, force: true })
}

function gpgEnvironment(home: string | undefined): NodeJS.ProcessEnv {
  return { ...process.env, ...(home !== undefined && { GNUPGHOME: home }) }
}

function fingerprintIn(home: string): string {
  const listing = execFileSync('gpg', ['--batch', '--with-colons', '--list-secret-keys'], {
    env: gpgEnvironment(home),
    encoding: 'utf8',
    stdio: PIPES,
  })
  const fingerprint = /^fpr:{9}([0-9A-F]+):/m.exec(listing)?.[1]
  if (fingerprint === undefined) throw new Error('there is no private key in the given text')
  return fingerprint
}
