// The service worker of the console. It shows notifications and opens their page. It stores nothing and answers no
// requests, so a page never shows old data as if it were current.
import type { PushContent } from '@smsgw/contract/live/push-event'
import { notificationOf, type PushWords } from './notification.ts'

/** Texts by language, from the catalogues (vite.config.ts). */
declare const PUSH_WORDS: Readonly<Record<string, PushWords>>

// Declares the few types of service workers that this file uses, because TypeScript cannot load the types of service
// workers together with the types of pages.
interface Worker extends EventTarget {
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    matchAll(options: object): Promise<readonly WindowClient[]>
    openWindow(url: string): Promise<unknown>
    claim(): Promise<void>
  }
  skipWaiting(): Promise<void>
}
interface WindowClient {
  readonly focused: boolean
  focus(): Promise<unknown>
  postMessage(message: unknown): void
}
interface LastingEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface ContentEvent extends LastingEvent {
  readonly data: { json(): PushContent } | PushContent | null
}
interface ClickEvent extends LastingEvent {
  readonly notification: Notification
}

const worker = self as unknown as Worker

on<LastingEvent>('install', (event) => event.waitUntil(worker.skipWaiting()))
on<LastingEvent>('activate', (event) => event.waitUntil(worker.clients.claim()))
on<ContentEvent>('push', (event) => event.waitUntil(show((event.data as { json(): PushContent } | null)?.json())))
// An open tab sends the same content if no push service can be reached.
on<ContentEvent>('message', (event) => event.waitUntil(show(event.data as PushContent | null)))
on<ClickEvent>('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(String((event.notification.data as { path?: string } | null)?.path ?? '/')))
})

async function show(content: PushContent | null | undefined): Promise<void> {
  if (typeof content?.kind !== 'string') return
  const isSeen = (await windows()).some(({ focused }) => focused)
  // Shows no notification while somebody looks at the console.
  if (isSeen && content.kind !== 'test') return
  const { language } = content
  const notification = notificationOf(content, PUSH_WORDS[language] ?? PUSH_WORDS['en'] ?? {})
  if (notification === undefined) return
  const { title, body, tag, path } = notification
  const shown = { body, tag, renotify: true, lang: language, dir: language === 'ar' ? 'rtl' : 'ltr' } as const
  await worker.registration.showNotification(title, {
    ...shown,
    icon: '/icon-192.png',
    badge: '/badge-96.png',
    data: { path },
  } as NotificationOptions)
}

async function open(path: string): Promise<void> {
  const [first] = await windows()
  if (first === undefined) {
    await worker.clients.openWindow(path)
    return
  }
  // Lets the page open the path without a reload, because a reload would lose unsaved text.
  first.postMessage({ open: path })
  await first.focus()
}

function windows(): Promise<readonly WindowClient[]> {
  return worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
}

function on<Received extends Event>(type: string, listener: (event: Received) => void): void {
  worker.addEventListener(type, (event) => listener(event as Received))
}
