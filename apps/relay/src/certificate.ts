import { readFileSync, statSync } from 'node:fs'
import type { Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { Log } from '@smsgw/daemon/log/log'
import { StartError } from '@smsgw/daemon/start-error'

const CHECK_MS = 60_000

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

export function readCertificate(files: CertificateFiles): { readonly cert: string; readonly key: string } {
  try {
    const pair = { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') }
    createSecureContext(pair)
    return pair
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    throw new StartError(`TLS_CERT (${files.cert}) and TLS_KEY (${files.key}) are not usable: ${problem}`, {
      cause: error,
    })
  }
}

/** Watches the files and loads a renewed certificate for new connections. Returns the function that stops the watch. */
export function renewCertificate(server: Server, files: CertificateFiles, log: Log, lookMs = CHECK_MS): () => void {
  let known = modified(files)
  const timer = setInterval(() => {
    const now = modified(files)
    if (now === known) return
    known = now
    try {
      server.setSecureContext(readCertificate(files))
      log.info('certificate renewed')
    } catch (error) {
      log.error({ err: error }, 'new certificate not usable, keeping the previous one')
    }
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}

function modified({ cert, key }: CertificateFiles): string {
  return [cert, key].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0).join()
}
