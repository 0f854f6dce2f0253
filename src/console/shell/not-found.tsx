import { Link } from 'react-router';
import { Empty } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';

export function NotFound() {
  useTitle('Not found');
  return (
    <Empty title="There is no such page">
      <p>
        The address may be misspelt. <Link to="/">Start from the endpoints</Link>.
      </p>
    </Empty>
  );
}
