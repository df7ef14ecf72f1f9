import type { PushSubscriptionAnswer } from '@smsgw/contract/live/push'
import { ask, get } from '../api/request/ask.ts'
import { locale } from '../words/text.ts'
import { type NotificationChoice, readChoice, storeChoice } from './notification-choice.ts'

/** The reason why this browser cannot show notifications; otherwise, whether somebody has allowed them. */
export type NotificationState = 'insecure' | 'unsupported' | 'addToHomeScreen' | 'blocked' | 'ask' | 'allowed'

export function notificationState(): NotificationState {
  if (!globalThis.isSecureContext) return 'insecure'
  if (typeof Notification === 'undefined' || !('serviceWorker' in navigator))
    return isApplePhone() && !isApp() ? 'addToHomeScreen' : 'unsupported'
  if (Notification.permission === 'denied') return 'blocked'
  return Notification.permission === 'granted' ? 'allowed' : 'ask'
}

/** Safari on iPhone and iPad has notifications only in apps of the home screen. */
function isApplePhone(): boolean {
  return (
    /iPhone|iPad/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
  )
}

/** True if the console was started from the home screen. Only Safari has this member. */
function isApp(): boolean {
  return (navigator as { readonly standalone?: boolean }).standalone === true
}

export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register('/service-worker.js')
  return navigator.serviceWorker.ready
}

/**
 * Subscribes this browser to notifications, or changes its subscription. If no push service can be reached,
 * notifications are shown only while the console is open. Errors of the gateway are thrown.
 */
export function turnOn(choice: NotificationChoice): Promise<void> {
  return inTurn(async () => storeChoice(await subscribe(choice)))
}

/** Renews the subscription that this user chose before. The subscription belongs to the session, which may be new. */
export function renew(username: string): Promise<void> {
  return inTurn(async () => {
    const choice = readChoice()
    if (choice?.username !== username || notificationState() !== 'allowed') return
    const renewed = await subscribe(choice)
    if (readChoice() === choice) storeChoice(renewed)
  })
}

/**
 * Ends the subscription. The browser shows no more notifications from this moment, even if the gateway cannot be
 * reached.
 */
export function turnOff({ subscriptionId }: NotificationChoice): Promise<void> {
  storeChoice(undefined)
  return inTurn(async () => {
    const registration = await navigator.serviceWorker.getRegistration('/')
    await (await registration?.pushManager?.getSubscription())?.unsubscribe()
    if (subscriptionId !== undefined) await ask('DELETE', `/push/subscriptions/${encodeURIComponent(subscriptionId)}`)
  })
}

let last: Promise<unknown> = Promise.resolve()

/** Runs changes one after the other, so that a slow change does not undo a later change. */
function inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
  const run = last.then(change)
  last = run.catch(() => undefined)
  return run
}

async function subscribe(choice: NotificationChoice): Promise<NotificationChoice> {
  const registration = await registerWorker()
  const subscription = await subscribed(registration)
  const { subscriptionId: _, ...chosen } = choice
  if (subscription === undefined) return chosen
  const { endpoint, keys } = subscription.toJSON()
  const { events, showsText } = choice
  const { body } = await ask<PushSubscriptionAnswer>('POST', '/push/subscriptions', {
    ...{ endpoint, keys, events, showsText },
    language: locale().language,
  })
  return { ...chosen, subscriptionId: body.id }
}

/** Returns the subscription. Returns undefined if the browser has no push service or cannot reach it. */
async function subscribed(registration: ServiceWorkerRegistration): Promise<PushSubscription | undefined> {
  if (!('pushManager' in registration)) return undefined
  const { publicKey } = await get<{ readonly publicKey: string }>('/push/key')
  const applicationServerKey = bytesOf(publicKey)
  const existing = await registration.pushManager.getSubscription()
  if (existing !== null && isSame(existing.options?.applicationServerKey, applicationServerKey)) return existing
  try {
    // If the existing subscription uses the key of another installation, ends it, because such a subscription receives
    // nothing from this installation.
    await existing?.unsubscribe()
    return await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}

function isSame(one: ArrayBuffer | null | undefined, other: Uint8Array): boolean {
  const bytes = new Uint8Array(one ?? new ArrayBuffer(0))
  return bytes.length === other.length && bytes.every((byte, at) => byte === other[at])
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}
