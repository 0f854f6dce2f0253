import { useState } from 'react';
import { Link, Navigate, useNavigate } from 'react-router';
import { signOut } from '../api/provider.ts';
import { useMay, useSession } from '../api/scopes.ts';
import { Button } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { Brand } from './brand.tsx';
import { viewPath } from './use-project.ts';

/** Opens the project of a single-project key; otherwise asks. */
export function ChooseProject() {
  const { projects } = useSession();
  const { read } = useMay();
  useTitle('Projects');
  const [only, second] = projects;
  if (only !== undefined && second === undefined)
    return <Navigate to={viewPath(only.id, 'endpoints')} replace />;
  return (
    <main className="alone">
      <div className="card">
        <Brand />
        <h1>{read ? 'Choose a project' : 'Load files'}</h1>
        {!read && (
          <>
            <p>
              This key may load rows into tables, by the scope data:write, and read nothing.
              Endpoints are shown to keys with endpoint:read.
            </p>
            <Link className="button primary" to={viewPath('@current', 'load')}>
              Load into the project of this key
            </Link>
            <p className="muted small">If the key has several projects, enter one:</p>
          </>
        )}
        <ul className="choices">
          {projects.map(({ id, name }) => (
            <li key={id}>
              <Link to={viewPath(id, 'endpoints')}>
                <bdi>{name}</bdi>
                <span className="muted">{id}</span>
              </Link>
            </li>
          ))}
        </ul>
        {projects.length === 0 && <ProjectById view={read ? 'endpoints' : 'load'} />}
        <Button look="quiet" onClick={() => void signOut()}>
          Sign out
        </Button>
      </div>
    </main>
  );
}

/** An administrator's key may see every project without listing any, and a load-only key cannot list its own. */
function ProjectById({ view }: { view: string }) {
  const [id, setId] = useState('');
  const navigate = useNavigate();
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate(viewPath(id.trim(), view));
      }}
    >
      <label className="field">
        <span>Project id</span>
        <input required pattern="[0-9]+" value={id} onChange={(e) => setId(e.target.value)} />
      </label>
      <Button look="primary" type="submit">
        Open
      </Button>
    </form>
  );
}
