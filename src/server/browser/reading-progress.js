/** Progress of a request that takes long: rows read out of the rows that the engine expects to read. */
import { element } from './elements.js';
import { findProject } from './endpoint-call.js';
import { readProgress } from './endpoint-facts.js';

/** Most requests end before anybody would look at their progress. */
const everyMs = 800;

export function ReadingProgress({ running, state, graphProject }) {
  const [progress, setProgress] = React.useState(null);
  const project = findProject(running, graphProject);
  const { requestId } = running;
  React.useEffect(() => {
    if (project === null) return;
    const read = () =>
      readProgress({ project, requestId }, state.get().headers).then(setProgress, () =>
        setProgress(null),
      );
    const timer = setInterval(read, everyMs);
    return () => clearInterval(timer);
  }, [project, requestId]);
  if (progress === null) return null;
  const { rowsRead, estimatedRowsTotal, timeElapsed } = progress;
  const rows = (count) => Number(count).toLocaleString('en');
  const total = estimatedRowsTotal > 0 ? ` of about ${rows(estimatedRowsTotal)}` : '';
  return element(
    'div',
    { className: 'qd-reading', role: 'status' },
    estimatedRowsTotal > 0
      ? element('progress', {
          'aria-label': 'Rows read',
          value: Math.min(rowsRead, estimatedRowsTotal),
          max: estimatedRowsTotal,
        })
      : element('progress', { 'aria-label': 'Running' }),
    element(
      'p',
      null,
      `Read ${rows(rowsRead)}${total} rows, in ${Number(timeElapsed).toFixed(1)} s`,
    ),
  );
}
