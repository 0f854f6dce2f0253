interface SparklineProps {
  /** By hour, oldest first. */
  readonly hours: readonly { readonly runs: number; readonly errors: number }[];
}

const height = 22;
const barWidth = 3;

/** Runs by hour as bars, with failures as the lower part; an illustration of the adjacent text. */
export function Sparkline({ hours }: SparklineProps) {
  const most = Math.max(1, ...hours.map(({ runs }) => runs));
  // Keeps a single failure visible.
  const tall = (runs: number) => (runs === 0 ? 0 : Math.max(2, (runs / most) * height));
  return (
    <svg
      className="sparkline"
      width={hours.length * barWidth}
      height={height}
      viewBox={`0 0 ${hours.length * barWidth} ${height}`}
      aria-hidden="true"
    >
      {hours.map(({ runs, errors }, hour) => (
        <g key={`hour ${hour + 1}`}>
          <rect
            className="sparkline-runs"
            x={hour * barWidth}
            y={height - tall(runs)}
            width={barWidth - 1}
            height={tall(runs)}
          />
          <rect
            className="sparkline-errors"
            x={hour * barWidth}
            y={height - tall(errors)}
            width={barWidth - 1}
            height={tall(errors)}
          />
        </g>
      ))}
    </svg>
  );
}
