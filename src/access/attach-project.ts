/** Binds a project to databases that exist. Checks no permission: the caller has the command line of the service's own machine. */
import { randomBytes } from 'node:crypto';
import { invalidInput } from '../errors/service-error.ts';
import type { Actor } from '../model/actor.ts';
import {
  type EngineUser,
  type ProjectBinding,
  parsePlace,
  withPassword,
} from '../model/project-binding.ts';
import type { BindingStore, Unbinding } from '../store/binding-store.ts';

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

interface Change {
  readonly binding: ProjectBinding;
  readonly expected: number | null | undefined;
}

/** @throws ServiceError `invalid_input`; no message repeats a URL, which may hold a password. */
export function attachProject(
  { bindings }: Deps,
  projectId: number,
  { attachment, by }: { readonly attachment: Attachment; readonly by: Actor },
): Promise<ProjectBinding> {
  const { readerUrl, writerUrl } = attachment;
  const keepsUsers = readerUrl === undefined || writerUrl === undefined;
  return change({ bindings }, { projectId, by }, async () => {
    const found = keepsUsers ? await bindings.findBinding(projectId) : undefined;
    const binding = attached(projectId, attachment, found?.binding);
    return { binding, expected: found === null ? null : found?.revision };
  });
}

/** @param was the binding that it has, for the users that are not named. */
function attached(
  projectId: number,
  { databases, stored, dictionaries, readerUrl, writerUrl }: Attachment,
  was: ProjectBinding | undefined,
): ProjectBinding {
  const place = parsePlace({ databases, stored, dictionaries });
  const url = readerUrl === undefined ? was?.url : parseServer(readerUrl, 'reader_url');
  if (url === undefined) {
    throw invalidInput(
      'reader_url',
      'Name the server and the user that reads: --reader-url http://user:password@host:8123, or without a user to have one made up.',
    );
  }
  if (typeof writerUrl === 'string' && parseServer(writerUrl, 'writer_url') !== url)
    throw invalidInput('writer_url', 'The user that writes is one of the server of the reader.');
  const reader = userOf(readerUrl, { projectId, role: 'reader' }) ?? was?.reader;
  if (reader === undefined) throw invalidInput('reader_url', 'The project has no user that reads.');
  const writer =
    writerUrl === null
      ? null
      : (userOf(writerUrl, { projectId, role: 'writer' }) ?? was?.writer ?? null);
  if (writer !== null && writer.user === reader.user)
    throw invalidInput(
      'writer_url',
      'The user that writes is another one than the one that reads.',
    );
  return { ...place, url, reader, writer };
}

/** New passwords for the users that it has; an administrator of the engine gives them to these, and until then the present ones are used. */
export function renewPasswords(
  { bindings }: Deps,
  projectId: number,
  by: Actor,
): Promise<ProjectBinding> {
  const renewed = (user: EngineUser) => withPassword(user, newPassword());
  return change({ bindings }, { projectId, by }, async () => {
    const found = await bindings.findBinding(projectId);
    if (found === null) throw notBound();
    const { reader, writer } = found.binding;
    const users = { reader: renewed(reader), writer: writer === null ? null : renewed(writer) };
    return { binding: { ...found.binding, ...users }, expected: found.revision };
  });
}

const MAX_TRIES = 5;

/** Made anew when somebody else changes the binding meanwhile. */
async function change(
  { bindings }: Deps,
  { projectId, by }: { readonly projectId: number; readonly by: Actor },
  make: () => Promise<Change>,
): Promise<ProjectBinding> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { binding, expected } = await make();
    if (await bindings.bind({ projectId, binding, expected, by })) return binding;
  }
  throw invalidInput(
    'project',
    'The binding of the project is being changed by somebody else at the same time. Nothing was changed; try again.',
  );
}

/** @throws ServiceError `invalid_input` for one that is not bound, and while it has stored tables. */
export async function detachProject(
  { bindings }: { readonly bindings: Pick<BindingStore, 'unbind'> },
  detached: Unbinding,
): Promise<void> {
  if (!(await bindings.unbind(detached))) throw notBound();
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
