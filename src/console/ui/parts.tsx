/** The small parts of which every view is made. */
import type { ButtonHTMLAttributes, ReactNode } from 'react';
import type { ApiError } from '../api/client.ts';
import { formatAgo, formatInstant } from './format.ts';

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'accent';

export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge ${tone}`}>{children}</span>;
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  /** Says that it is at work, and cannot be pressed meanwhile. */
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

/** An instant as people say it; the exact one on hover. */
export function Ago({ at }: { at: string | null | undefined }) {
  if (at === null || at === undefined) return <span className="muted">never</span>;
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {formatAgo(at)}
    </time>
  );
}

export function ErrorNote({ error, title }: { error: Pick<ApiError, 'message'>; title?: string }) {
  return (
    <div className="note bad" role="alert">
      {title !== undefined && <strong>{title}</strong>}
      <p>
        <bdi>{error.message}</bdi>
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

/** A grey place where something comes. */
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
        {about !== undefined && <div className="about">{about}</div>}
      </div>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </header>
  );
}

/** Name and value pairs in one calm row, or below each other where there is no room. */
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
