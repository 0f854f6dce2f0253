import { useState } from 'react';
import { Link, Navigate, useNavigate } from 'react-router';
import { signOut } from '../api/provider.ts';
import { useSession } from '../api/scopes.ts';
import { Button } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { Brand } from './brand.tsx';
import { viewPath } from './use-project.ts';

/** A key of one project opens it; others are asked. */
export function ChooseProject() {
  const { projects } = useSession();
  useTitle('Projects');
  const [only, second] = projects;
  if (only !== undefined && second === undefined)
    return <Navigate to={viewPath(only.id, 'endpoints')} replace />;
  return (
    <main className="alone">
      <div className="card">
        <Brand />
        <h1>Choose a project</h1>
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
        {projects.length === 0 && <ProjectById />}
        <Button look="quiet" onClick={() => void signOut()}>
          Sign out
        </Button>
      </div>
    </main>
  );
}

/** An administrator's key may see every project without naming any. */
function ProjectById() {
  const [id, setId] = useState('');
  const navigate = useNavigate();
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void navigate(viewPath(id.trim(), 'endpoints'));
      }}
    >
      <label className="field">
        <span>Id of the project</span>
        <input required pattern="[0-9]+" value={id} onChange={(e) => setId(e.target.value)} />
      </label>
      <Button look="primary" type="submit">
        Open
      </Button>
    </form>
  );
}
