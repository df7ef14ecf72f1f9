import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '@smsgw/daemon/start-error'
import type { ChatTarget } from './chat-settings.ts'

const LIMIT_MS = 30_000
/** Below the limit of Discord, which accepts 2000 characters. */
const MOST_CHARACTERS = 1_900

/** The chat program refuses this text, but may accept others. */
export class RefusedText extends Error {}

const REFUSALS = [400, 413, 415, 422]

export interface ChatSender {
  /**
   * Shows a text in a chat. Throws an error if the chat program did not accept the text. The error contains no secrets
   * of the target.
   */
  send(target: ChatTarget, text: string, signal: AbortSignal): Promise<void>
  close(): void
}

/** Sends directly to webhooks of chat programs. For all other targets, runs the program `apprise`. */
export function chatSender({
  targets,
  folder,
  program,
}: {
  readonly targets: readonly ChatTarget[]
  /** The folder for files with addresses, which only this user can read. */
  readonly folder: string
  readonly program: string
}): ChatSender {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Passes the addresses in a file, because other users of the machine could read them on the command line.
  for (const { id, url } of targets.filter(isForApprise))
    writeFileSync(join(folder, id), `${url}\n`, { mode: 0o600, flag: 'wx' })
  return {
    async send(target, text, signal) {
      const shown = shortened(text)
      if (isForApprise(target)) await runApprise(program, join(folder, target.id), shown, signal)
      else await post(target.url, shown, signal)
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export function isForApprise({ url }: Pick<ChatTarget, 'url'>): boolean {
  return !/^https?:/i.test(url)
}

/** Throws if a target needs `apprise` and the program is not installed. */
export async function requireApprise(targets: readonly ChatTarget[]): Promise<void> {
  if (!targets.some(isForApprise)) return
  await appriseVersion(APPRISE).catch((error: Error) => {
    throw new StartError(
      'an address in CHAT_URLS needs the program apprise: install it with `apt install apprise`, or use the https:// address of a webhook',
      { cause: error },
    )
  })
}

export const APPRISE = 'apprise'

/** Returns the version of `apprise`. Throws if `apprise` cannot be run. */
export async function appriseVersion(program: string): Promise<string> {
  const { status, output } = await run(program, ['--version'], '', AbortSignal.timeout(LIMIT_MS))
  if (status !== 0) throw new Error(`${program} --version exited with code ${status}`)
  return output.split('\n', 1)[0]?.trim() ?? ''
}

async function runApprise(program: string, configFile: string, text: string, signal: AbortSignal): Promise<void> {
  const options = ['--config', configFile, '--input-format', 'text']
  const { status, output } = await run(program, options, text, AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]))
  if (status !== 0)
    throw new Error(`apprise exited with code ${status}: ${withoutAddresses(output).slice(-300).trim()}`)
}

/** Removes the addresses, which contain tokens and passwords. */
function withoutAddresses(output: string): string {
  return output.replace(/[a-z][a-z0-9+.-]*:\/\/\S+/gi, '…')
}

function run(
  program: string,
  options: readonly string[],
  input: string,
  signal: AbortSignal,
): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const { PATH, HOME, LANG = 'C.UTF-8', HTTPS_PROXY, NO_PROXY } = process.env
    const env = { PATH, HOME, LANG, LC_ALL: 'C.UTF-8', PYTHONIOENCODING: 'utf-8', HTTPS_PROXY, NO_PROXY }
    const child = spawn(program, options, { signal, env, stdio: 'pipe', killSignal: 'SIGKILL' })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (part: string) => {
        output = (output + part).slice(-10_000)
      })
    }
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, output }))
    // Ignores write errors, because the exit code shows why a program ended without reading its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

async function post(url: string, text: string, signal: AbortSignal): Promise<void> {
  let answer: Response
  try {
    answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'smsgw' },
      body: JSON.stringify(webhookBody(url, text)),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    })
  } catch (error) {
    const { message, cause } = error as Error
    throw new Error(withoutAddresses(cause instanceof Error ? cause.message : message))
  }
  await answer.body?.cancel()
  if (answer.ok) return
  const message = `${new URL(url).host} answers HTTP ${answer.status}`
  throw REFUSALS.includes(answer.status) ? new RefusedText(message) : new Error(message)
}

/** Prevents the text from notifying whole groups or showing links, because strangers write the text. */
function webhookBody(url: string, text: string): object {
  const { hostname } = new URL(url)
  if (/(^|\.)discord(app)?\.com$/.test(hostname)) return { content: text, allowed_mentions: { parse: [] } }
  if (/(^|\.)slack\.com$/.test(hostname))
    return { text: text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;') }
  return { text }
}

/** Shortens long texts without splitting a character. */
function shortened(text: string): string {
  const characters = [...text]
  return characters.length <= MOST_CHARACTERS ? text : `${characters.slice(0, MOST_CHARACTERS - 1).join('')}…`
}
