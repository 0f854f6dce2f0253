/** Basic components of all views. */
import { type ComponentProps, type ReactNode, useCallback, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { formatAgo, formatInstant } from './format.ts';

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  /** Shows activity and disables the button. */
  readonly busy?: boolean;
}

export function Button({ look = 'plain', busy = false, className = '', ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look} ${className}`}
      aria-busy={busy || undefined}
      disabled={rest.disabled === true || busy}
    />
  );
}

/** A relative time; the exact one on hover. */
export function Ago({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <span className="muted">never</span>;
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {formatAgo(at)}
    </time>
  );
}

type Shown = Pick<ApiError, 'message'> & Partial<Pick<ApiError, 'code' | 'attr'>>;

export function ErrorNote({ error, title }: { error: Shown; title?: string }) {
  const isForeign = error.code === 'permission_denied' && error.attr === 'project_id';
  return (
    <div className="note bad" role="alert">
      {title !== undefined && <strong>{title}</strong>}
      <p>
        <bdi>{error.message}</bdi>
        {isForeign && ' Open another project, or sign out to use another key.'}
      </p>
    </div>
  );
}

export function Note({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <div className={`note ${tone}`}>{children}</div>;
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** A grey placeholder for loading content. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, at) => (
        <span key={`line ${at + 1}`} className="line" />
      ))}
    </div>
  );
}

export interface PageHeadProps {
  readonly title: ReactNode;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly above?: ReactNode;
}

export function PageHead({ title, about, actions, above }: PageHeadProps) {
  return (
    <header className="page-head">
      <div className="page-title">
        {above}
        <h1>{title}</h1>
        {about !== undefined && <About>{about}</About>}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </header>
  );
}

/** Scrolls on its own when it is long; the keyboard then reaches it. */
function About({ children }: { children: ReactNode }) {
  const [scrolls, setScrolls] = useState(false);
  const observe = useCallback((element: HTMLDivElement) => {
    const size = new ResizeObserver(() => setScrolls(element.scrollHeight > element.clientHeight));
    size.observe(element);
    return () => size.disconnect();
  }, []);
  const reached = scrolls ? { tabIndex: 0, role: 'region', 'aria-label': 'Description' } : {};
  return (
    <div className="about" ref={observe} {...reached}>
      {children}
    </div>
  );
}

/** Name and value pairs in one row, stacked when there is no room. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="facts">{children}</dl>;
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
