import type { ReactNode } from 'react'
import './badge.css'

export type Tone = 'good' | 'warn' | 'bad' | 'quiet'

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`badge is-${tone}`}>{children}</span>
}
