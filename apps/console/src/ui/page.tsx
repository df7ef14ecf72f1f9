import { type ReactNode, useEffect } from 'react'
import { setPageTitle } from './document-title.ts'
import './page.css'

/** A page with title, actions and content. `back` leads from the page of one thing to its list. */
export function Page({
  title,
  back,
  about,
  actions,
  children,
}: {
  readonly title: string
  readonly back?: ReactNode
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  useTitle(title)
  return (
    <div className="page">
      <header className="page-head">
        <div>
          {back}
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {about !== undefined && <p className="page-about">{about}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    setPageTitle(title)
  }, [title])
}

export function Panel({
  title,
  about,
  actions,
  children,
}: {
  readonly title: string
  readonly about?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <div>
          <h2>
            <bdi>{title}</bdi>
          </h2>
          {about !== undefined && <p className="panel-about">{about}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}

/** Names and values. Undefined values are left out. */
export function Facts({ of: facts }: { readonly of: readonly (readonly [name: string, value: ReactNode])[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '')
  return (
    <dl className="facts">
      {known.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
