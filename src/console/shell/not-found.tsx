import { Link } from 'react-router';
import { Empty } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { useProject, viewPath } from './use-project.ts';

export function NotFound() {
  useTitle('Not found');
  return (
    <Empty title="There is no such page">
      <p>
        The address may be misspelt. <Link to="/">Go to the endpoints</Link>.
      </p>
    </Empty>
  );
}

/** For a key that may only load rows. */
export function NotReadable() {
  useTitle('Not for this key');
  return (
    <Empty title="This key may not read endpoints">
      <p>
        It needs the scope endpoint:read. With data:write alone it{' '}
        <Link to={viewPath(useProject(), 'load')}>loads files</Link>.
      </p>
    </Empty>
  );
}
