import { tmpdir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { ConfigError } from '../config/config.ts';
import { ServiceError } from '../errors/service-error.ts';
import { isUnwritable } from '../lib/temp-folders.ts';
import { DataFolderInUseError, DataFolderUnusableError } from '../store/data-folder.ts';
import { MetadataDatabaseError } from '../store/metadata-database.ts';
import { MigrationError } from '../store/migrate.ts';
import { EmbeddedPostgresError } from '../store/postgres-process.ts';
import { UsageError } from './usage-error.ts';

/** Errors whose messages are written for the user of the command. */
const explained = [
  UsageError,
  ConfigError,
  DataFolderInUseError,
  DataFolderUnusableError,
  EmbeddedPostgresError,
  MigrationError,
  MetadataDatabaseError,
] as const;

/** The message for the user of the command; null for an unexpected error, which needs its stack. */
export function explainError(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  if (explained.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof ServiceError) return explainServiceError(error);
  return explainSystemError(error);
}

/** On the service's machine the internal reason is not secret, and often the only help. */
function explainServiceError(error: ServiceError): string | null {
  if (error.code === 'error') return null;
  const reason = error.internal?.trim().split('\n').slice(-3).join('\n') ?? '';
  const isVague = error.code === 'engine_unavailable' || error.code === 'service_unavailable';
  return isVague && reason !== '' ? `${error.message}\n${reason}` : error.message;
}

type Explain = (error: NodeJS.ErrnoException & { readonly port?: number }) => string;

const bySystemCode: Readonly<Record<string, Explain>> = {
  EADDRINUSE: ({ port }) =>
    `Port ${port ?? ''} is in use. Stop the process that uses it, or set PORT to another port; 0 chooses a free one.`,
  EADDRNOTAVAIL: () => 'HOST is not an address of this machine. Set it to 127.0.0.1 or 0.0.0.0.',
  ENOTFOUND: ({ message }) => `A host was not found: ${message}.`,
  EACCES: ({ syscall, port, path }) =>
    syscall === 'listen'
      ? `Port ${port ?? ''} cannot be opened by this user. Set PORT to another port.`
      : `${path ?? 'A file'} cannot be opened by this user: permission denied.`,
  ENOSPC: () => 'There is no space left on the disk.',
};

function explainSystemError(error: Error): string | null {
  const { code, path = '' } = error as NodeJS.ErrnoException;
  if (isOwnTempPath(path) && isUnwritable(code ?? ''))
    return `The temporary folder ${tmpdir()} is not writable (${code}). Make it writable, or set TMPDIR to another folder.`;
  return code === undefined ? null : (bySystemCode[code]?.(error) ?? null);
}

/** What is made in the temporary folder has such a name. */
function isOwnTempPath(path: string): boolean {
  return dirname(path) === resolve(tmpdir()) && basename(path).startsWith('querydock-');
}
