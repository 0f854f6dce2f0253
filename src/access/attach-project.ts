/**
 * Binds a project to existing databases. Checks no permission: the caller has command-line access to the service's
 * machine.
 */
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
import { parseProjectName } from './create-project.ts';

export interface Attachment {
  readonly databases: readonly string[];
  readonly stored: string | null;
  readonly dictionaries: readonly string[];
  /** Undefined keeps the current users. A URL without a user gets a generated user and password. */
  readonly readerUrl: string | undefined;
  /** The same; null for no writer. */
  readonly writerUrl: string | null | undefined;
}

interface Deps {
  readonly bindings: Pick<BindingStore, 'findBinding' | 'bind'>;
}

interface Change {
  readonly binding: ProjectBinding;
  readonly expected: number | null | undefined;
}

/** @throws ServiceError `invalid_input`; no message repeats a URL, which may contain a password. */
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

/** Creates a project that is bound from its beginning. @throws ServiceError as attachProject, and `unique`; nothing is left then. */
export async function createAttachedProject(
  { bindings }: { readonly bindings: Pick<BindingStore, 'createBound'> },
  given: string,
  { attachment, by }: { readonly attachment: Attachment; readonly by: Actor },
): Promise<{ readonly id: number; readonly name: string; readonly binding: ProjectBinding }> {
  const name = parseProjectName(given);
  const bindingOf = (projectId: number) => attached(projectId, attachment, undefined);
  return { name, ...(await bindings.createBound({ name, bindingOf, by })) };
}

/** @param was the current binding, which supplies the users that are not given. */
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
      '--reader-url is required: the URL of the server with the user that reads, as in http://user:password@host:8123. Without a user, one is generated.',
    );
  }
  if (typeof writerUrl === 'string' && parseServer(writerUrl, 'writer_url') !== url)
    throw invalidInput('writer_url', 'The writer must be a user of the same server as the reader.');
  const reader = userOf(readerUrl, { projectId, role: 'reader' }) ?? was?.reader;
  if (reader === undefined)
    throw invalidInput('reader_url', 'The project has no reader. Name one with --reader-url.');
  const writer =
    writerUrl === null
      ? null
      : (userOf(writerUrl, { projectId, role: 'writer' }) ?? was?.writer ?? null);
  if (writer !== null && writer.user === reader.user)
    throw invalidInput('writer_url', 'The reader and the writer must be different users.');
  return { ...place, url, reader, writer };
}

/**
 * Generates new passwords for the existing users. An administrator sets them at the engine; until then the current ones
 * are used.
 */
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

/** Recomputes the change when somebody else changes the binding meanwhile. */
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
    'Another process is changing the binding of the project at the same time. Nothing was changed; try again.',
  );
}

/** @throws ServiceError `invalid_input` for a project that is not bound, and while it has stored tables. */
export async function detachProject(
  { bindings }: { readonly bindings: Pick<BindingStore, 'unbind'> },
  detached: Unbinding,
): Promise<void> {
  if (!(await bindings.unbind(detached))) throw notBound();
}

export function notBound() {
  return invalidInput(
    'project',
    'The project is not bound to existing databases. To bind it, use querydock project attach.',
  );
}

/** Scheme, host, port and path. */
function parseServer(text: string, attr: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw invalidInput(
      attr,
      'The URL of a server consists of http:// or https://, an optional user and password, a host and a port.',
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
      'The user or the password in the URL contains a % that is not followed by two hexadecimal digits: write it as %25.',
    );
  }
}

/** Contains a letter of each case, a digit and a sign, as some servers' rules require. */
function newPassword(): string {
  return `Qd-${randomBytes(24).toString('hex')}`;
}
