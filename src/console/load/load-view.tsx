import { useEffect } from 'react';
import { Link } from 'react-router';
import { useMay } from '../api/scopes.ts';
import { useProject, viewPath } from '../shell/use-project.ts';
import { Empty, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { LoadForm } from './load-form.tsx';
import { LoadResult } from './load-result.tsx';
import { useLoad } from './use-load.ts';

/** Loads a chosen or dropped file into a table, with its progress and result. */
export function LoadView() {
  useTitle('Load a file');
  const project = useProject();
  const { load, read } = useMay();
  const loading = useLoad();
  useNoStrayDrops();
  if (!load)
    return (
      <Empty title="This key may not load rows">
        <p>This requires the scope data:write.</p>
      </Empty>
    );
  const { state } = loading;
  return (
    <div className="view">
      <PageHead
        above={
          read && (
            <p className="crumbs small">
              <Link to={viewPath(project, 'tables')}>Tables</Link>
            </p>
          )
        }
        title="Load a file"
        about={
          <p>Loads the rows of a file into a table: all of them, or none if there is an error.</p>
        }
      />
      {state.kind === 'loaded' ? (
        <LoadResult loaded={state.loaded} seconds={state.seconds} onMore={loading.reset} />
      ) : (
        <LoadForm loading={loading} />
      )}
    </div>
  );
}

/** Without this, a file dropped outside of the drop area would replace the page. */
function useNoStrayDrops(): void {
  useEffect(() => {
    const hold = (event: DragEvent) => event.preventDefault();
    addEventListener('dragover', hold);
    addEventListener('drop', hold);
    return () => {
      removeEventListener('dragover', hold);
      removeEventListener('drop', hold);
    };
  }, []);
}
