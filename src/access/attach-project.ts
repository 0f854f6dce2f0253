/** Binds a project to databases that exist. Checks no permission: the caller has the command line of the service's own machine. */
import { randomBytes } from 'node:crypto';
import { invalidInput } from '../errors/service-error.ts';
import type { Actor } from '../model/actor.ts';
import { type EngineUser, type ProjectBinding, parsePlace } from '../model/project-binding.ts';
import type { BindingStore } from '../store/binding-store.ts';

export interface Attachment {
  readonly databases: readonly string[];
  readonly stored: string | null;
  readonly dictionaries: readonly string[];
  /** Undefined: the users that it has. A URL without a user: one with a password is made up. */
  readonly readerUrl: string | undefined;
  /** The same; null: none. */
  readonly writerUrl: string | null | undefined;
}

interface Deps {
  readonly bindings: Pick<BindingStore, 'findBinding' | 'bind'>;
}

/** @throws ServiceError `invalid_input`; no message repeats a URL, which may hold a password. */
export async function attachProject(
  { bindings }: Deps,
  projectId: number,
  call: { readonly attachment: Attachment; readonly by: Actor },
): Promise<ProjectBinding> {
  const { attachment, by } = call;
  const { databases, stored, dictionaries, readerUrl, writerUrl } = attachment;
  const place = parsePlace({ databases, stored, dictionaries });
  const was =
    readerUrl === undefined || writerUrl === undefined
      ? await bindings.findBinding(projectId)
      : null;
  const url = readerUrl === undefined ? was?.binding.url : parseServer(readerUrl, 'reader_url');
  if (url === undefined) {
    throw invalidInput(
      'reader_url',
      'Name the server and the user that reads: --reader-url http://user:password@host:8123, or without a user to have one made up.',
    );
  }
  if (typeof writerUrl === 'string' && parseServer(writerUrl, 'writer_url') !== url)
    throw invalidInput('writer_url', 'The user that writes is one of the server of the reader.');
  const reader = userOf(readerUrl, { projectId, role: 'reader' }) ?? was?.binding.reader;
  if (reader === undefined) throw invalidInput('reader_url', 'The project has no user that reads.');
  const writer =
    writerUrl === null
      ? null
      : (userOf(writerUrl, { projectId, role: 'writer' }) ?? was?.binding.writer ?? null);
  if (writer !== null && writer.user === reader.user)
    throw invalidInput(
      'writer_url',
      'The user that writes is another one than the one that reads.',
    );
  const binding: ProjectBinding = { ...place, url, reader, writer };
  await bindings.bind({ projectId, binding, by });
  return binding;
}

/** New passwords for the users that it has; an administrator of the engine gives them to these. */
export async function renewPasswords(
  { bindings }: Deps,
  projectId: number,
  by: Actor,
): Promise<ProjectBinding> {
  const found = await bindings.findBinding(projectId);
  if (found === null) throw notBound();
  const { reader, writer } = found.binding;
  const renewed = (user: EngineUser): EngineUser => ({ user: user.user, password: newPassword() });
  const binding: ProjectBinding = {
    ...found.binding,
    reader: renewed(reader),
    writer: writer === null ? null : renewed(writer),
  };
  await bindings.bind({ projectId, binding, by });
  return binding;
}

export function notBound() {
  return invalidInput(
    'project',
    'The project has a database of its own: querydock project attach binds it to others.',
  );
}

/** Scheme, host, port and path. */
function parseServer(text: string, attr: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw invalidInput(
      attr,
      'The address of a server is http:// or https://, a host and a port, with a user and a password or without.',
    );
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`;
}

function userOf(
  text: string | null | undefined,
  { projectId, role }: { readonly projectId: number; readonly role: 'reader' | 'writer' },
): EngineUser | undefined {
  if (text === null || text === undefined) return undefined;
  const { username, password } = new URL(text);
  if (username !== '') return { user: decoded(username, role), password: decoded(password, role) };
  return { user: `querydock_project_${projectId}_${role}`, password: newPassword() };
}

function decoded(text: string, role: 'reader' | 'writer'): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidInput(
      `${role}_url`,
      'The user or the password in the address has a % that stands for no character: write it as %25.',
    );
  }
}

/** Has a letter of each kind and a sign, as the rules of some servers require. */
function newPassword(): string {
  return `Qd-${randomBytes(24).toString('hex')}`;
}
